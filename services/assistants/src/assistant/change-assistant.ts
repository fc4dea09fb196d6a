import type { AssistantEvent, Rejection } from '@parley/contracts';
import { type Aggregates, type Decision, type EventMetadata, mustBeDone } from '@parley/event-store';
import { type Assistant, assistant, assistantCategory, assistantStream } from './assistant.ts';

interface ChangedAssistant {
  readonly id: number;
  readonly accountId: number;
  readonly metadata: EventMetadata;
}

/**
 * Changes an assistant as a consequence of something else; the decision may be made again, so it has to be harmless to
 * repeat. Throws where `mustBeDone` does.
 */
export async function changeAssistant(
  aggregates: Aggregates,
  { id, accountId, metadata }: ChangedAssistant,
  decide: (state: Assistant) => Decision<AssistantEvent> | Rejection,
): Promise<void> {
  const streamId = assistantStream(id);
  const result = await aggregates.execute({
    streamId,
    category: assistantCategory,
    accountId,
    fold: assistant,
    metadata,
    command: null,
    decide,
  });
  mustBeDone(result, streamId);
}
