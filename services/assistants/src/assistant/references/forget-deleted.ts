import type { AssistantEvent } from '@parley/contracts';
import { Aggregates, mustBeDone, type RecordedEvent, type SqlExecutor } from '@parley/event-store';
import { byAccount, defineReactor, type Reactor, type ReactorContext } from '@parley/processing';
import { assistantsReferringTo, deletedAmong } from '../../views/assistants/assistants-referring.ts';
import { referenceName } from '../../views/assistants/net-assistant-changes.ts';
import {
  type Assistant,
  assistant,
  assistantCategory,
  assistantStream,
  changeOf,
  living,
} from '../assistant.ts';
import { type Reference, referencesOf } from '../facts.ts';
import { dropReferences } from './drop-references.ts';

/** How many assistants are changed side by side: they share appends. */
const atOnce = 100;

/**
 * Deleting a folder, label or knowledgebase takes it from its assistants. Every view shows that at once; this records
 * it in each assistant's own history, caused by the deletion. It also looks at assignments: one may have been decided a
 * moment before the deletion and recorded after it, and is then the cause itself.
 */
export const forgetDeleted = (sql: SqlExecutor): Reactor =>
  defineReactor({
    name: 'forget-deleted',
    handles: [
      'FolderDeleted',
      'LabelDeleted',
      'KnowledgebaseDeleted',
      'AssistantCreated',
      'AssistantMovedToFolder',
      'AssistantLabelled',
      'AssistantKnowledgebaseChanged',
    ],
    laneOf: byAccount,
    async react(event, context) {
      if (event.category === assistantCategory) {
        if (await cameTooLate(sql, event, context)) await forget(sql, event, event.streamId, context);
        return undefined;
      }
      for (let after = 0; !context.signal.aborted; ) {
        const ids = await assistantsReferringTo(sql, event.streamId, after, atOnce);
        await Promise.all(ids.map((id) => forget(sql, event, assistantStream(id), context)));
        if (ids.length < atOnce) return undefined;
        after = ids.at(-1) ?? after;
      }
      throw new Error('Stopped half way; the rest is done by whoever goes on.');
    },
  });

/**
 * Whether an assignment points at something that was deleted before it. What is deleted after it is handled by its
 * deletion.
 */
async function cameTooLate(
  sql: SqlExecutor,
  event: RecordedEvent,
  { store }: ReactorContext,
): Promise<boolean> {
  for (const streamId of await deletedAmong(sql, assigned(event))) {
    const deletion = (await store.readStream(streamId)).at(-1);
    if (deletion && deletion.position < event.position) return true;
  }
  return false;
}

/** What an assignment points at; most new assistants point at nothing. */
function assigned(recorded: RecordedEvent): Reference[] {
  // The reactor gets assignments only.
  const event = recorded as RecordedEvent & AssistantEvent;
  return referencesOf(event.type === 'AssistantCreated' ? event.data.settings : changeOf(event));
}

/**
 * Takes from an assistant what was deleted. Decided on its newest state, and effective once for each event: repeating
 * it after a crash changes nothing.
 */
async function forget(
  sql: SqlExecutor,
  { accountId }: RecordedEvent,
  streamId: string,
  { store, effectId, metadata }: ReactorContext,
): Promise<void> {
  const result = await new Aggregates(store).execute({
    streamId,
    category: assistantCategory,
    accountId,
    fold: assistant,
    metadata,
    command: { commandId: effectId(streamId), fingerprint: null },
    decide: async (state: Assistant) => {
      const events = await consequences(sql, state);
      return events.length === 0 ? nothingToDo : { events, reply: {} };
    },
  });
  mustBeDone(result, streamId, [nothingToDo.code]);
}

const nothingToDo = { code: 'nothing_to_do' };

async function consequences(sql: SqlExecutor, state: Assistant): Promise<AssistantEvent[]> {
  const present = living(state);
  if (!present) return [];
  const deleted = await deletedAmong(sql, referencesOf(present));
  return dropReferences(present, { isOwn: (kind, id) => !deleted.has(referenceName({ kind, id })) });
}
