import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, createApi } from '../support/api.ts';
import {
  advanceClock,
  connectedSender,
  control,
  type PlatformNumber,
  platformNumber,
  platformTemplate,
} from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';

// The clock of a stack and the faults of its sandbox are everybody's: this stack is the file's own.
let stack: RunningStack;
let api: Api;
/** Takes the first answer; the other one comes back when it is told to. */
let impatient: Api;

beforeAll(async () => {
  stack = await startOwnStack({ hasDemo: true, copies: { messaging: 2 } });
  const key = stack.accounts[1]?.apiKey ?? '';
  impatient = createApi(stack.baseUrl, key);
  api = comingBack(impatient);
});
afterAll(() => stack?.stop());

const play = <T>(path: string, body: object) => control<T>(path, body, stack.sandboxUrl);
const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const fault = (operation: string, mode: string, times = 1) =>
  play('faults', { provider: 'chat', operation, mode, times });
const change = (phone_number: string, number: PlatformNumber) =>
  play('chat/senders', { phone_number, ...number });

const path = '/api/user/chatapp/senders';
type Item = { readonly id: number; readonly name: string } & Record<string, unknown>;
const dataOf = (body: unknown) => (body as { data: Item[] }).data;
const senderOf = async (id: number) =>
  dataOf((await api.get(`${path}?status=all`)).body).find((sender) => sender.id === id);
const templatesOf = async (id: number) =>
  Object.fromEntries(
    dataOf((await api.get(`${path}/${id}/templates?status=all`)).body).map((each) => [each.name, each]),
  );
const connect = (number: PlatformNumber = {}, templates: Parameters<typeof connectedSender>[2] = []) =>
  connectedSender(api, number, templates, { sandboxUrl: stack.sandboxUrl });

const fiveMinutes = 5 * 60;
const fourHours = 4 * 60 * 60;

test('a sender follows the platform every five minutes, and not before', async () => {
  const sender = await connect({ messaging_limit: 250 });
  await change(sender.phone, {
    online: false,
    quality_rating: 'RED',
    messaging_limit: null,
    calling_enabled: true,
  });
  const before = { status: 'online', quality_rating: 'GREEN', messaging_limit: 250 };
  await advance(fiveMinutes / 2);
  // Longer than a timer is ever late.
  await sleep(500);
  expect(await senderOf(sender.id)).toMatchObject(before);

  await advance(fiveMinutes / 2);
  await eventually(async () =>
    expect(await senderOf(sender.id)).toMatchObject({
      status: 'offline',
      quality_rating: 'RED',
      messaging_limit: null,
      messaging_limit_formatted: 'Unlimited',
      voice_calling_enabled: true,
    }),
  );
  expect(dataOf((await api.get(path)).body).map(({ id }) => id)).not.toContain(sender.id);

  await change(sender.phone, { online: true });
  await advance(fiveMinutes);
  await eventually(async () => expect(await senderOf(sender.id)).toMatchObject({ status: 'online' }));
});

test('templates follow the platform every four hours: approved, edited, new', async () => {
  const sender = await connect({}, [
    { name: 'waiting', status: 'pending' },
    { name: 'edited', body_text: 'Hi {{1}}', variables: ['name'] },
    { name: 'same' },
  ]);
  const before = await templatesOf(sender.id);
  const on = (template: Parameters<typeof platformTemplate>[1]) =>
    platformTemplate(sender.phone, template, stack.sandboxUrl);
  await on({ name: 'waiting', status: 'approved' });
  await on({ name: 'edited', category: 'marketing', body_text: 'Hi {{name}}', status: 'rejected' });
  await on({ name: 'added', kind: 'voice_call_request' });
  await advance(fourHours - 600);
  await sleep(500);
  expect(await templatesOf(sender.id)).toEqual(before);

  await advance(600);
  await eventually(async () => expect(Object.keys(await templatesOf(sender.id))).toHaveLength(4));
  const after = await eventually(async () => {
    const templates = await templatesOf(sender.id);
    expect(templates.waiting?.status).toBe('approved');
    expect(templates.edited?.status).toBe('rejected');
    return templates;
  });
  expect(after.waiting).toEqual({ ...before.waiting, status: 'approved' });
  expect(after.same).toEqual(before.same);
  expect(after.edited).toEqual({
    ...before.edited,
    category: 'marketing',
    status: 'rejected',
    body_text: 'Hi {{1}}',
    variables: ['name'],
  });
  expect(after.added).toMatchObject({ kind: 'voice_call_request', status: 'approved' });
});

describe('while the platform fails', () => {
  beforeEach(() => play('faults', { provider: 'chat', times: 0 }));

  test.each([
    ...['error', 'reset', 'garbage', 'timeout'].map((mode) => [mode, 'get_sender'] as const),
    ...['error', 'reject', 'timeout'].map((mode) => [mode, 'subscribe_app'] as const),
  ])('with %s (%s), connecting is answered 503 in time, and works afterwards', async (mode, operation) => {
    const phone_number = await platformNumber({}, [], stack.sandboxUrl);
    const body = { phone_number, display_name: 'Acme' };
    await fault(operation, mode, 1_000);
    const answer = await impatient.post(path, body);
    expect([answer.status, answer.body]).toEqual([
      503,
      { success: false, error: expect.not.stringContaining('took too long'), error_code: 'UNAVAILABLE' },
    ]);
    expect(answer.headers['retry-after']).toBeTruthy();
    await play('faults', { provider: 'chat', times: 0 });
    expect((await api.post(path, body)).status).toBe(201);
  });

  test('by refusing, connecting is refused', async () => {
    const phone_number = await platformNumber({}, [], stack.sandboxUrl);
    // Senders of the tests before are read again meanwhile.
    await fault('get_sender', 'reject', 1_000);
    const answer = await api.post(path, { phone_number, display_name: 'Acme' });
    expect([answer.status, answer.body]).toMatchObject([422, { error_code: 'VALIDATION_FAILED' }]);
  });

  test('to tell its templates, the sender is connected and they come later', async () => {
    const phone_number = await platformNumber({}, [{ name: 'late' }], stack.sandboxUrl);
    await fault('list_templates', 'error', 1_000);
    const { status, body } = await api.post(path, { phone_number, display_name: 'Acme' });
    expect(status).toBe(201);
    const { id } = (body as { data: { id: number } }).data;
    expect(await templatesOf(id)).toEqual({});
    await play('faults', { provider: 'chat', times: 0 });
    await advance(60);
    await eventually(async () => expect(Object.keys(await templatesOf(id))).toEqual(['late']));
  });

  test('a known answer is given again', async () => {
    const phone_number = await platformNumber({}, [], stack.sandboxUrl);
    const body = { phone_number, display_name: 'Acme' };
    const headers = { 'idempotency-key': `known-${phone_number}` };
    const first = await api.post(path, body, headers);
    await fault('get_sender', 'error', 100);
    const again = await api.post(path, body, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test('nothing changes, and what was missed is read a minute later', async () => {
    const sender = await connect();
    await change(sender.phone, { quality_rating: 'YELLOW' });
    const before = await failedReadings();
    await fault('get_sender', 'error', 1_000);
    await advance(fiveMinutes);
    await eventually(async () => expect(await failedReadings()).toBeGreaterThan(before));
    expect(await senderOf(sender.id)).toMatchObject({ status: 'online', quality_rating: 'GREEN' });
    await play('faults', { provider: 'chat', times: 0 });
    await advance(61);
    await eventually(async () =>
      expect(await senderOf(sender.id)).toMatchObject({ quality_rating: 'YELLOW' }),
    );
  });
});

test('kill -9 of every copy during a reading delays it by a minute at most', async () => {
  const sender = await connect();
  await change(sender.phone, { quality_rating: 'RED' });
  await fault('get_sender', 'timeout', 1_000);
  await advance(fiveMinutes);
  await eventually(async () => expect(await leasedTimers()).toContain(`sync-sender-${sender.id}`));
  const names = ['messaging', 'messaging-2'];
  const killed = await Promise.all(names.map((name) => stack.signal(name, 'SIGKILL')));
  await play('faults', { provider: 'chat', times: 0 });
  await eventually(async () => {
    for (const name of names) expect(killed).not.toContain(stack.pidOf(name));
    expect((await api.get(path)).status).toBe(200);
  });
  await advance(61);
  await eventually(async () => expect(await senderOf(sender.id)).toMatchObject({ quality_rating: 'RED' }));
});

test('a number that the platform no longer knows is offline', async () => {
  const sender = await connect({ messaging_limit: 2000 }, [{ name: 'kept' }]);
  await play('reset', {});
  await advance(fourHours);
  await eventually(async () =>
    expect(await senderOf(sender.id)).toMatchObject({ status: 'offline', messaging_limit: 2000 }),
  );
  expect(Object.keys(await templatesOf(sender.id))).toEqual(['kept']);
});

const failedReadings = async (): Promise<number> => {
  const [row] = await readRowsOf<{ count: number }>(
    stack.databaseUrl,
    'sandbox',
    `select count(*)::int as count from sandbox.requests where answer_status = 500`,
  );
  return row?.count ?? 0;
};

/** A reading that was started: its timer is due within the next minute instead of the next five. */
const leasedTimers = async (): Promise<readonly string[]> => {
  const rows = await readRowsOf<{ id: string }>(
    stack.databaseUrl,
    'messaging',
    `select id from es.timers where due_at < es.now() + interval '61 seconds'`,
  );
  return rows.map(({ id }) => id);
};
