import type { AssistantDeleted, SenderEvent } from '@parley/contracts';
import { Aggregates, type EventStore, mustBeDone, type SqlExecutor } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { findSendersOfAssistant } from '../views/sender-queries.ts';
import { sender, senderStream } from './sender.ts';

export interface ForgettingParts {
  readonly store: EventStore;
  readonly sql: SqlExecutor;
  /** The log of the assistants service. */
  readonly source: EventSource;
}

const deleted: (typeof AssistantDeleted)['type'] = 'AssistantDeleted';

/** A deleted assistant answers on no sender: what comes in there is stored and not answered. */
export function forgetDeletedAssistants({ store, sql, source }: ForgettingParts): Reactor {
  const aggregates = new Aggregates(store);
  return defineReactor({
    name: 'forget-deleted-assistants',
    handles: [deleted],
    source,
    laneOf: byAccount,
    react: async ({ streamId }, { effectId, metadata }) => {
      const assistantId = Number(streamId.slice('assistant-'.length));
      const answered = await findSendersOfAssistant(sql, assistantId);
      for (const { id, accountId } of answered) {
        const commandId = effectId(senderStream(id));
        const result = await aggregates.execute({
          streamId: senderStream(id),
          category: 'sender',
          accountId,
          fold: sender,
          metadata: { ...metadata, commandId },
          command: { commandId, fingerprint: null },
          decide: (state) => ({
            events: state?.assistantId === assistantId ? [unanswered] : [],
            reply: null,
          }),
        });
        mustBeDone(result, senderStream(id));
      }
      return undefined;
    },
  });
}

const unanswered: SenderEvent = { type: 'SenderAssistantChanged', data: { assistant_id: null } };
