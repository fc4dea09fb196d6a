import {
  type AssistantDeleted,
  SenderAssistantChanged,
  SenderConnected,
  type SenderEvent,
} from '@parley/contracts';
import {
  Aggregates,
  type EventStore,
  mustBeDone,
  type RecordedEvent,
  type SqlExecutor,
} from '@parley/event-store';
import {
  byAccount,
  defineReactor,
  type EventSource,
  type Reactor,
  type ReactorContext,
} from '@parley/processing';
import { asService } from '@parley/service-kit';
import { findSendersOfAssistant } from '../views/sender-queries.ts';
import type { Assistants } from './assistants.ts';
import { sender, senderCategory, senderStream } from './sender.ts';

export interface ForgettingParts {
  readonly assistants: Pick<Assistants, 'exists'>;
  readonly store: EventStore;
  readonly sql: SqlExecutor;
  /** The log of the assistants service. */
  readonly source: EventSource;
}

const deleted: (typeof AssistantDeleted)['type'] = 'AssistantDeleted';

/**
 * Reactors that take deleted assistants off their senders, where messages are then recorded and not replied to. A
 * sender may get an assistant that is deleted a moment later, so each newly set assistant is looked up once more.
 */
export function forgetDeletedAssistants({
  assistants,
  store,
  sql,
  source,
}: ForgettingParts): readonly Reactor[] {
  const takeOff = createTakingOff(new Aggregates(store));
  return [
    defineReactor({
      name: 'forget-deleted-assistants',
      handles: [deleted],
      source,
      laneOf: byAccount,
      async react({ streamId }, context) {
        const assistantId = Number(streamId.slice('assistant-'.length));
        const answered = await findSendersOfAssistant(sql, assistantId);
        for (const { id, accountId } of answered)
          await takeOff({ accountId, streamId: senderStream(id) }, assistantId, context);
        return undefined;
      },
    }),
    defineReactor({
      name: 'recheck-answering-assistants',
      handles: [SenderConnected.type, SenderAssistantChanged.type],
      laneOf: byAccount,
      async react(event, context) {
        const assistantId = answering(event);
        if (assistantId === null) return undefined;
        const asking = asService('messaging', event.accountId, context.metadata.correlationId);
        if (!(await assistants.exists(assistantId, asking))) await takeOff(event, assistantId, context);
        return undefined;
      },
    }),
  ];
}

function answering({ type, data }: RecordedEvent): number | null {
  const contract = type === SenderConnected.type ? SenderConnected : SenderAssistantChanged;
  return contract.data.parse(data).assistant_id;
}

const createTakingOff =
  (aggregates: Aggregates) =>
  async (
    { accountId, streamId }: Pick<RecordedEvent, 'accountId' | 'streamId'>,
    assistantId: number,
    { effectId, metadata }: Pick<ReactorContext, 'effectId' | 'metadata'>,
  ): Promise<void> => {
    const commandId = effectId(streamId);
    const result = await aggregates.execute({
      streamId,
      category: senderCategory,
      accountId,
      fold: sender,
      metadata: { ...metadata, commandId },
      command: { commandId, fingerprint: null },
      decide: (state) => ({
        events: state?.assistantId === assistantId ? [unanswered] : [],
        reply: null,
      }),
    });
    mustBeDone(result, streamId);
  };

const unanswered: SenderEvent = { type: 'SenderAssistantChanged', data: { assistant_id: null } };
