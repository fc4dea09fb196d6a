import type { ChatContactEvent } from '@parley/contracts';
import { createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import { expect, test } from 'vitest';
import type { Conversations } from '../conversation/conversations.ts';
import type { Directory } from '../views/directory.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import type { ChatEventHandler } from './chat-event-handler.ts';
import { ChatEvents } from './chat-events.ts';

const sql: SqlExecutor = { query: async () => ({ rows: [], rowCount: 0 }) };
const message = {
  ...{ accountId: null, actor: { kind: 'provider', id: 'whatsapp' } as const, commandId: null },
  ...{ fingerprint: null, correlationId: 'callback-1', expectedVersion: null, baseUrl: null },
  timeoutMs: 1_000,
};

const stopped = (id: string, at: string): ChatContactEvent => ({
  ...{ id, at, type: 'marketing_preference_changed', phone_number_id: '77', contact: '+4930901820' },
  is_stopped: true,
});

/** What is told of which sender, as `<event> <sender>`, where `senders` are found. */
async function told(senders: Directory['sendersOfNumber'], happened: readonly ChatContactEvent[]) {
  const directory: Partial<Directory> = { sendersOfNumber: senders };
  const conversations: Partial<Conversations> = { phoneOf: async ({ contactPhone }) => contactPhone };
  const all: string[] = [];
  const handler: ChatEventHandler = {
    name: 'test',
    handle: async (event, sender) => void all.push(`${event.id} ${sender.id}`),
  };
  const events = new ChatEvents(
    directory as Directory,
    conversations as Conversations,
    [handler],
    createInMemoryEventStore(),
    sql,
  );
  await events.receive(happened, message);
  return all;
}

test('what is told beside something of the time when another account had the number is not lost with it', async () => {
  const since = '2026-11-29T10:00:00.000Z';
  const before = stopped('before', '2026-11-29T09:59:59.000Z');
  const senders: Directory['sendersOfNumber'] = async ({ at }) =>
    at !== null && at < since ? [] : [{ id: 4 } as KnownSender];
  expect(await told(senders, [before, stopped('after', since)])).toEqual(['after 4']);
});

test('a status is told to every sender that had the number, and nothing else is', async () => {
  const at = '2026-11-29T10:00:00.000Z';
  const failed: ChatContactEvent = {
    ...{ id: 'failed', at, type: 'message_status_changed', phone_number_id: '77', contact: '+4930901820' },
    ...{ message_id: 'wamid.1', status: 'failed', reference: 'message-1', error: null },
  };
  const senders: Directory['sendersOfNumber'] = async (happened) =>
    (happened.at === null ? [4, 3] : [4]).map((id) => ({ id }) as KnownSender);
  expect(await told(senders, [failed, stopped('stopped', at)])).toEqual([
    'failed 4',
    'failed 3',
    'stopped 4',
  ]);
});
