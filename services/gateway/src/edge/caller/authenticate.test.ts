import { listDeletedApiKeys, resolveApiKeys, subjectOf } from '@parley/contracts';
import { type BusClient, createAsk, RequestTimedOut } from '@parley/message-bus';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAuthenticate } from './authenticate.ts';

const silentBus: BusClient = { request: () => new Promise(() => undefined), async close() {} };

test('nobody waits longer for a look-up than a request may take, however many come first', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const authenticate = createAuthenticate(silentBus, createAsk(silentBus, { patienceMs: 0 }), {
    timeoutMs: 10_000,
    maxUnknown: 1_000,
  });
  const failed: unknown[] = [];
  for (let n = 0; n < 1_000; n += 1)
    Promise.resolve(authenticate(`Bearer key-${n}`).caller).catch((error: unknown) => failed.push(error));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(failed).toHaveLength(1_000);
  for (const error of failed) expect(error).toBeInstanceOf(RequestTimedOut);
});

test('who was seen with a valid key before takes none of the places of keys that nobody has', async () => {
  const body = JSON.stringify({ keys: [{ api_key_id: 1, account_id: 1, expires: false }], position: 1 });
  let isSilent = false;
  const bus: BusClient = {
    ...silentBus,
    request: async (request) => (isSilent ? silentBus.request(request) : { kind: 'ok', body, position: 1 }),
  };
  const authenticate = createAuthenticate(bus, createAsk(bus, { patienceMs: 0 }), {
    timeoutMs: 10_000,
    maxUnknown: 1,
  });
  await authenticate('Bearer known').caller;
  isSilent = true;
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const fate = (token: string) => Promise.resolve(authenticate(`Bearer ${token}`).caller).catch(String);
  const fates = Promise.all(['nobody-1', 'nobody-2', 'known'].map(fate));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await fates).toEqual([
    expect.stringContaining('gave no answer'),
    expect.stringContaining('Too many unknown keys'),
    expect.stringContaining('gave no answer'),
  ]);
});

test.each([
  ['that does not end is looked up once while the lease lasts', false, 2],
  ['that expires is looked up each time', true, 4],
])('a key %s', async (_, expires, lookUps) => {
  const answers = {
    [subjectOf(resolveApiKeys)]: { keys: [{ api_key_id: 1, account_id: 1, expires }], position: 1 },
    [subjectOf(listDeletedApiKeys)]: { deleted: [], position: 1, lease_ms: 60_000 },
  };
  const asked: string[] = [];
  const bus: BusClient = {
    ...silentBus,
    async request({ subject }) {
      asked.push(subject);
      return { kind: 'ok', body: JSON.stringify(answers[subject]), position: 1 };
    },
  };
  const authenticate = createAuthenticate(bus, createAsk(bus, { patienceMs: 0 }), {
    timeoutMs: 10_000,
    maxUnknown: 1,
  });
  for (let n = 0; n < 4; n += 1)
    expect(await authenticate('Bearer key').caller).toEqual({ accountId: 1, apiKeyId: '1' });
  expect(asked.filter((subject) => subject === subjectOf(resolveApiKeys))).toHaveLength(lookUps);
});
