import type { AssistantEvent } from '@parley/contracts';
import { createInMemoryEventStore, type NewEvent, type SqlExecutor } from '@parley/event-store';
import { golden } from '@parley/testing';
import { v5 as uuidv5 } from 'uuid';
import { expect, test } from 'vitest';
import { forgetDeleted } from './forget-deleted.ts';

const [created] = golden<AssistantEvent & { type: 'AssistantCreated' }>('AssistantCreated.v1');
const folder = `folder-${created?.data.settings.folder_id}`;
const assistant = 'assistant-12';
const actor = { kind: 'system', id: 'test' } as const;

/** A log to which an assistant's creation and the deletion of its folder are added; and reacting to all since last time. */
function newLog() {
  const store = createInMemoryEventStore();
  const sql = {
    query: async ({ name = '' }) => {
      const isThere = (await store.readStream(assistant)).length > 0;
      if (name === 'assistants-referring') return { rows: isThere ? [{ id: 12 }] : [] };
      return { rows: (await store.readStream(folder)).map(() => ({ name: folder })) };
    },
  } as SqlExecutor;
  const reactor = forgetDeleted(sql);
  let after = 0;
  return {
    async record(streamId: string): Promise<void> {
      const event = streamId === folder ? { type: 'FolderDeleted', data: {} } : (created as NewEvent);
      const metadata = { correlationId: streamId, causationId: streamId, commandId: null, actor };
      const category = streamId.split('-')[0] ?? '';
      await store.append({ streamId, category, accountId: 7, events: [event], expectedVersion: 0, metadata });
    },
    async react(): Promise<void> {
      for (const event of await store.readAll({ after, limit: 9, types: reactor.handles })) {
        const metadata = { ...event.metadata, causationId: event.eventId };
        const signal = new AbortController().signal;
        const effectId = (label = '') => uuidv5(label, event.eventId);
        await reactor.react(event, { store, attempt: 1, signal, effectId, metadata });
        after = event.position;
      }
    },
    /** What the assistant was made to do, and what asked for the cause of it. */
    async consequences() {
      const history = await store.readStream(assistant);
      return history.slice(1).map(({ type, metadata }) => [type, metadata.correlationId]);
    },
  };
}

test('an assistant is taken out of its folder by the deletion, also when its creation is met after that', async () => {
  const log = newLog();
  await log.record(assistant);
  await log.record(folder);
  await log.react();
  expect(await log.consequences()).toEqual([['AssistantMovedToFolder', folder]]);
});

test('an assistant that was put into a folder right after its deletion is taken out by that', async () => {
  const log = newLog();
  await log.record(folder);
  await log.react();
  await log.record(assistant);
  await log.react();
  expect(await log.consequences()).toEqual([['AssistantMovedToFolder', assistant]]);
});
