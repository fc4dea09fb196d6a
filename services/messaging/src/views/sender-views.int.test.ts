import type { SenderEvent, TemplateEvent } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { verifyProjection } from '@parley/processing';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSenderByPhone } from './sender-by-phone.ts';
import { createSenderLists, createSenderLoader, createSendersByNumberLoader } from './sender-queries.ts';
import { sendersView } from './senders-view.ts';
import { createTemplateLists, createTemplateLoader } from './template-queries.ts';
import { templatesView } from './templates-view.ts';

const views = [sendersView, templatesView];
let store: PostgresEventStore;

beforeAll(async () => {
  store = await createTestStore(views);
});
afterAll(() => store?.close());

const write = (
  streamId: string,
  category: string,
  events: readonly (SenderEvent | TemplateEvent)[],
  accountId = 3,
) =>
  store.append({
    streamId,
    category,
    accountId,
    events,
    expectedVersion: 'any',
    metadata: testMetadata,
  });

const expectNoDrift = async () => {
  for (const projection of views)
    expect(await verifyProjection({ pool: store.pool, projection })).toMatchObject({ differing: 0 });
};

test('senders of every earlier version are shown and found as what they are, in one batch or in many', async () => {
  const history = golden<SenderEvent>(
    'SenderConnected.v1',
    'SenderRenamed.v1',
    'SenderAssistantChanged.v1',
    'SenderStatusChanged.v1',
    'SenderQualityChanged.v1',
    'SenderMessagingLimitChanged.v1',
    'SenderVoiceCallingChanged.v1',
  );
  await write('sender-12', 'sender', history.slice(0, 1));
  const list = createSenderLists(store.pool);
  const all = { accountId: 3, status: null };
  expect(JSON.parse(`[${await list(all)}]`)).toEqual([
    {
      id: 12,
      phone_number: '+442079460123',
      display_name: 'Łucja\'s "Café"',
      status: 'online',
      quality_rating: 'GREEN',
      messaging_limit: 1000,
      messaging_limit_formatted: '1000 / 24hr',
      voice_calling_enabled: true,
      assistant_id: 7,
    },
  ]);
  for (const event of history.slice(1)) await write('sender-12', 'sender', [event]);
  const last = await list(all);
  expect(last).toBe(
    '{"id":12,"phone_number":"+442079460123","display_name":"Café Łucja 東京","status":"offline",' +
      '"quality_rating":"RED","messaging_limit":null,"messaging_limit_formatted":"Unlimited",' +
      '"voice_calling_enabled":false,"assistant_id":null}',
  );
  expect(await createSenderLoader(store.pool)(12)).toMatchObject({
    accountId: 3,
    displayName: 'Café Łucja 東京',
    status: 'offline',
    messagingLimit: null,
    phoneNumberId: '106540352242922',
  });
  expect(await list({ accountId: 3, status: 'online' })).toBe('');
  expect(await list({ accountId: 4, status: null })).toBe('');
  // The rebuild has all of it in one batch.
  await expectNoDrift();
});

/** What is recorded of senders that have this number, one after the other. */
function sendersOf(number: { readonly phone_number: string; readonly phone_number_id: string }) {
  const [connected, disconnected] = golden<SenderEvent>('SenderConnected.v1', 'SenderDisconnected.v1');
  if (connected?.type !== 'SenderConnected' || !disconnected) throw new Error('There are no such events.');
  const as = (sender_id: number): SenderEvent => ({
    ...connected,
    data: { ...connected.data, ...number, sender_id },
  });
  return { as, disconnected };
}

test('a sender that is disconnected is gone, and its number is found as the one that is connected next, in one batch or in many', async () => {
  const number = { phone_number: '+4930901830', phone_number_id: '77' };
  const { as, disconnected } = sendersOf(number);
  await write('sender-31', 'sender', [as(31)]);
  await write('sender-31', 'sender', [disconnected]);
  expect(await createSenderLoader(store.pool)(31)).toBeUndefined();
  expect(await findSenderByPhone(store.pool, number.phone_number)).toBeNull();
  await write('sender-32', 'sender', [as(32), disconnected]);
  await write('sender-33', 'sender', [as(33)]);
  const now = (await store.now()).toISOString();
  const find = createSendersByNumberLoader(store.pool);
  expect((await find({ phoneNumberId: '77', at: now })).map(({ id }) => id)).toEqual([33]);
  const everyOne = await find({ phoneNumberId: '77', at: null });
  expect(everyOne.map(({ id }) => id).sort()).toEqual([31, 32, 33]);
  expect(everyOne[0]).toMatchObject({ id: 33 });
  expect(await find({ phoneNumberId: '76', at: null })).toEqual([]);
  await expectNoDrift();
});

test('a call that goes on while its sender is disconnected is still that sender’s; one that begins afterwards is nobody’s', async () => {
  const number = { phone_number: '+4930901840', phone_number_id: '79' };
  const { as, disconnected } = sendersOf(number);
  const before = (await store.now()).toISOString();
  await write('sender-61', 'sender', [as(61)]);
  const gone = await write('sender-61', 'sender', [disconnected]);
  if (gone.kind !== 'appended') throw new Error('It was not disconnected.');
  const found = async (call: { readonly connectedAt?: string } = {}) =>
    (await findSenderByPhone(store.pool, number.phone_number, { accountId: 3, ...call }))?.id;
  expect(await found({ connectedAt: before })).toBe(61);
  expect(await found({ connectedAt: gone.recordedAt })).toBeUndefined();
  expect(await found()).toBeUndefined();
  await write('sender-62', 'sender', [as(62)]);
  expect(await found({ connectedAt: before })).toBe(61);
  expect(await found({ connectedAt: gone.recordedAt })).toBe(62);
});

test('what happened to a number while another account had it is not the one’s that has it now; what was its own before is', async () => {
  const number = { phone_number: '+4930901820', phone_number_id: '78' };
  const { as, disconnected } = sendersOf(number);
  const secondsAgo = async (seconds: number) =>
    new Date((await store.now()).getTime() - seconds * 1_000).toISOString();
  const found = async (at: string) => {
    const [loaded] = await createSendersByNumberLoader(store.pool)({ phoneNumberId: '78', at });
    const called = await findSenderByPhone(store.pool, number.phone_number, { at });
    expect(called?.id).toBe(loaded?.id);
    return loaded?.id;
  };
  await write('sender-41', 'sender', [as(41)]);
  await write('sender-41', 'sender', [disconnected]);
  await write('sender-42', 'sender', [as(42)]);
  expect(await found(await secondsAgo(60))).toBe(42);
  const handedOn = await write('sender-42', 'sender', [disconnected]);
  await write('sender-43', 'sender', [as(43)], 4);
  expect(await found(await secondsAgo(60))).toBeUndefined();
  // The platform tells times in whole seconds.
  if (handedOn.kind !== 'appended') throw new Error('It was not disconnected.');
  expect(await found(`${handedOn.recordedAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`)).toBe(43);
  expect(await found(await secondsAgo(0))).toBe(43);
});

test('templates of every earlier version are shown and found as what they are, and gone when they are gone', async () => {
  const history = golden<TemplateEvent>(
    'TemplateAdded.v1',
    'TemplateStatusChanged.v1',
    'TemplateContentChanged.v1',
  );
  for (const event of history) await write('template-31', 'template', [event]);
  const list = createTemplateLists(store.pool);
  expect(await list({ senderId: 12, status: null })).toBe(
    '{"id":31,"name":"order_update","language":"pt_BR","category":"marketing","status":"approved",' +
      '"body_text":"May we call you, {{1}}?","variables":["first_name"],"has_variables":true,' +
      '"kind":"voice_call_request"}',
  );
  expect(await createTemplateLoader(store.pool)(31)).toEqual({
    id: 31,
    senderId: 12,
    platformId: '1627019861106475',
    status: 'approved',
    category: 'marketing',
    kind: 'voice_call_request',
    format: 'named',
    name: 'order_update',
    language: 'pt_BR',
    bodyText: 'May we call you, {{1}}?',
    placeholders: [{ key: 'first_name', name: 'first_name' }],
  });
  await expectNoDrift();
  await write('template-31', 'template', golden<TemplateEvent>('TemplateRemoved.v1'));
  expect(await list({ senderId: 12, status: null })).toBe('');
  await expectNoDrift();
});

test('of two senders of one line, in whichever spelling, the one that was connected last is found', async () => {
  const [connected] = golden<SenderEvent>('SenderConnected.v1');
  if (connected?.type !== 'SenderConnected') throw new Error('There is no such file.');
  // The rows change places on disk: none is found first by chance.
  for (const [id, phone_number] of [
    [51, '+525587654321'],
    [52, '+5215587654321'],
  ] as const) {
    const data = { ...connected.data, sender_id: id, phone_number_id: `line-${id}`, phone_number };
    await write(`sender-${id}`, 'sender', [{ ...connected, data }]);
  }
  await write('sender-51', 'sender', [{ type: 'SenderStatusChanged', data: { status: 'offline' } }]);
  await write('sender-52', 'sender', [{ type: 'SenderStatusChanged', data: { status: 'offline' } }]);
  await write('sender-51', 'sender', [{ type: 'SenderStatusChanged', data: { status: 'online' } }]);
  for (const phone of ['+525587654321', '+5215587654321']) {
    expect(await findSenderByPhone(store.pool, phone)).toMatchObject({ id: 52, account_id: 3 });
    expect(await findSenderByPhone(store.pool, phone, { accountId: 3 })).toMatchObject({ id: 52 });
    expect(await findSenderByPhone(store.pool, phone, { accountId: 4 })).toBeNull();
  }
});
