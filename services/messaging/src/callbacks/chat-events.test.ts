import type { ChatContactEvent } from '@parley/contracts';
import { createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import { expect, test } from 'vitest';
import type { Conversations } from '../conversation/conversations.ts';
import type { Directory } from '../views/directory.ts';
import type { KnownSender } from '../views/sender-queries.ts';
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

test('what is told beside something of the time when another account had the number is not lost with it', async () => {
  const since = '2026-11-29T10:00:00.000Z';
  const directory: Partial<Directory> = {
    senderOfNumber: async ({ at }) => (at < since ? undefined : ({ id: 4 } as KnownSender)),
  };
  const conversations: Partial<Conversations> = { phoneOf: async ({ contactPhone }) => contactPhone };
  const told: string[] = [];
  const handler = { name: 'test', handle: async ({ id }: ChatContactEvent) => void told.push(id) };
  const events = new ChatEvents(
    directory as Directory,
    conversations as Conversations,
    [handler],
    createInMemoryEventStore(),
    sql,
  );
  const before = stopped('before', '2026-11-29T09:59:59.000Z');
  await events.receive([before, stopped('after', since)], message);
  expect(told).toEqual(['after']);
});
