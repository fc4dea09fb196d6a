import { randomUUID } from 'node:crypto';
import { type CallPermissionEvent, type ChatContactEvent, noReferences } from '@parley/contracts';
import { Aggregates, Contended, createInMemoryEventStore, type EventStore } from '@parley/event-store';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { messagingConfig } from '../config.ts';
import { sender, template } from '../message/draft/send.fixture.ts';
import { askMessage } from './ask-message.ts';
import { permissionStream } from './call-permission.ts';
import { CustomerEvents } from './customer-events.ts';
import { contact } from './permission.fixture.ts';
import { permissionCategory } from './permission-log.ts';

const commandId = '0193e2a0-0000-7000-8000-00000000000e';
const command = { commandId, fingerprint: null };
const actor = { kind: 'provider', id: 'whatsapp' } as const;
const by = (correlationId: string) => ({ correlationId, causationId: 'e1', commandId, actor });
const told = {
  id: 'e1',
  phone_number_id: sender.phoneNumberId,
  contact: contact.phone,
  at: '2026-11-21T10:00:00.000Z',
};

type Status = Extract<ChatContactEvent, { readonly type: 'message_status_changed' }>;

/** What the platform tells of the message that asks. */
const statusOf = (askId: string, message_id: string, status: Status['status']): Status => ({
  type: 'message_status_changed',
  ...told,
  ...{ message_id, status, error: null },
  reference: askMessage(template, { ...contact, askId, name: null }).reference,
});

function customerEvents(store: EventStore, aggregates = new Aggregates(store)): CustomerEvents {
  const clock = { now: () => store.now() };
  return new CustomerEvents(aggregates, clock, messagingConfig.parse({ SANDBOX: 'true' }), store);
}

test('what a customer answers while others write the permission without pause is to be told again', async () => {
  const store = createInMemoryEventStore();
  const events = customerEvents(store, new Aggregates(store, { racingMs: 0 }));
  store.append = async () => ({ kind: 'conflict', actualVersion: 1 });
  const accepted = {
    type: 'call_permission_replied',
    ...told,
    message_id: 'm1',
    response: 'accept',
    is_permanent: true,
    expires_at: null,
    request_message_id: null,
  } as const;
  const cause = { metadata: by('callback-1'), command };
  await expect(events.handle(accepted, sender, cause)).rejects.toThrow(Contended);
});

test('what is told of an ask is in the trace of the request that made it, not of one whose ask had failed', async () => {
  const store = createInMemoryEventStore();
  const events = customerEvents(store);
  const [started, failed] = golden<CallPermissionEvent>(
    'CallPermissionAskStarted.v1',
    'CallPermissionAskFailed.v1',
  );
  if (started?.type !== 'CallPermissionAskStarted' || !failed) throw new Error('There is no ask.');
  const streamId = permissionStream(sender.id, contact.phone);
  const made = { streamId, category: permissionCategory, accountId: sender.accountId };
  await store.append({ ...made, expectedVersion: 0, events: [started, failed], metadata: by('request-1') });
  await store.append({ ...made, expectedVersion: 2, events: [started], metadata: by('request-2') });
  const delivered = statusOf(started.data.ask_id, 'wamid.2', 'delivered');
  await events.handle(delivered, sender, { metadata: by('callback-2'), command });
  const news = (await store.readStream(streamId)).slice(3);
  expect(news.map(({ type, metadata }) => [type, metadata.correlationId])).toEqual([
    ['CallPermissionRequested', 'request-2'],
    ['CallPermissionAskDelivered', 'request-2'],
  ]);
});

test('that an ask has failed, told again, is not put on record for the one that the same command made since', async () => {
  const store = createInMemoryEventStore();
  const events = customerEvents(store);
  const [started] = golden<CallPermissionEvent>('CallPermissionAskStarted.v1');
  if (started?.type !== 'CallPermissionAskStarted') throw new Error('There is no ask.');
  const streamId = permissionStream(sender.id, contact.phone);
  const made = { streamId, category: permissionCategory, accountId: sender.accountId };
  const failed = statusOf(started.data.ask_id, 'wamid.1', 'failed');
  // Also told of a sender that has the number by now, or had it before.
  const tell = async () => {
    for (const each of [{ ...sender, id: sender.id + 1 }, sender])
      await events.handle(failed, each, { metadata: by('callback-1'), command });
  };
  await store.append({ ...made, expectedVersion: 0, events: [started], metadata: by('request-1') });
  await tell();
  await store.append({ ...made, expectedVersion: 2, events: [started], metadata: by('request-2') });
  await tell();
  const types = (await store.readStream(streamId)).map(({ type }) => type);
  expect(types).toEqual(['CallPermissionAskStarted', 'CallPermissionAskFailed', 'CallPermissionAskStarted']);
});

test('a customer who reacts to a message has written, one who deletes a message has not', async () => {
  const store = createInMemoryEventStore();
  const events = customerEvents(store);
  const said = { type: 'message_received', ...told, name: null, text: null, ...noReferences } as const;
  const hear = (message_id: string, kind: string) =>
    events.handle({ ...said, message_id, kind }, sender, {
      metadata: by('callback-1'),
      command: { commandId: randomUUID(), fingerprint: null },
    });
  await hear('wamid.1', 'reaction');
  await hear('wamid.2', 'revoke');
  const recorded = await store.readStream(permissionStream(sender.id, contact.phone));
  expect(recorded).toMatchObject([{ type: 'ContactWrote', data: { message_sid: 'wamid.1' } }]);
});

test('what a platform whose clock is ahead tells happened no later than now', async () => {
  const now = new Date('2026-11-21T10:00:00.000Z');
  const store = createInMemoryEventStore({ now: () => now });
  const events = customerEvents(store);
  const wrote = {
    type: 'message_received',
    ...told,
    ...noReferences,
    ...{ at: '2026-11-21T10:05:00.000Z', message_id: 'wamid.1', name: null, kind: 'text', text: 'Hi' },
  } as const;
  await events.handle(wrote, sender, { metadata: by('callback-1'), command });
  const recorded = await store.readStream(permissionStream(sender.id, contact.phone));
  expect(recorded).toMatchObject([{ type: 'ContactWrote', data: { at: now.toISOString() } }]);
});
