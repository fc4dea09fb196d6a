import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { holdLock, logHead, writesTo } from '../support/locks.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';

/** A stack of its own: nothing of telephony is written while its log is held. */
let stack: RunningStack;
let api: Api;
beforeAll(async () => {
  stack = await startStack();
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  api = createApi(stack.baseUrl, (await registerTestAccount(bus)).key);
  await bus.close();
});
afterAll(async () => {
  await stack?.stop();
});

test('a change that the log does not take leaves the trunk free again at once, and as the log says', async () => {
  const { id } = await createSipTrunk(api);
  const change = (body: object) => api.put(`/api/user/phone-numbers/sip-trunks/${id}`, body);
  // The platform knows the new password when its end cannot be put on record.
  const passwords = await holdLock(stack.databaseUrl, 'telephony', writesTo('secrets.sip_passwords'));
  const changing = change({ nickname: 'Lost', sip_password: 'another-password-1' });
  await passwords.untilAwaited();
  const log = await holdLock(stack.databaseUrl, 'telephony', logHead);
  await passwords.release();
  const { status, headers } = await changing;
  expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  await log.release();
  const releasedAt = performance.now();
  await eventually(async () => expect((await change({ nickname: 'Found' })).status).toBe(200), 30_000, 500);
  // Its check would come 45 s after the change began.
  expect(performance.now() - releasedAt).toBeLessThan(25_000);
});
