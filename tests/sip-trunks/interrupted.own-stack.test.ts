import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { holdLock, logHead, writesTo } from '../support/locks.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';

/** A stack of its own: nothing of telephony is written while its log is held. */
let stack: RunningStack;
let api: Api;
beforeAll(async () => {
  stack = await startOwnStack();
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  api = createApi(stack.baseUrl, (await registerTestAccount(bus)).key);
  await bus.close();
});
afterAll(async () => {
  await stack?.stop();
});

test('changes that the log does not take leave the trunk free again, and as the log says', async () => {
  const { id } = await createSipTrunk(comingBack(api));
  const change = (body: object) => api.put(`/api/user/phone-numbers/sip-trunks/${id}`, body);
  // The platform knows the new password when its end cannot be put on record.
  const passwords = await holdLock(stack.databaseUrl, 'telephony', writesTo('secrets.sip_passwords'));
  const changing = change({ nickname: 'Lost', sip_password: 'another-password-1' });
  await passwords.untilAwaited();
  const log = await holdLock(stack.databaseUrl, 'telephony', logHead);
  await passwords.release();
  // Another waits for its turn meanwhile, and cannot even take it.
  for (const { status, headers } of await Promise.all([changing, change({ nickname: 'Lost, too' })]))
    expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  await log.release();
  await eventually(
    async () => expect((await change({ nickname: 'Found' })).status).toBe(200),
    undefined,
    500,
  );
  const turns = `select key from es.claims where scope = 'sip-trunk-change'`;
  await eventually(async () => expect(await readRowsOf(stack.databaseUrl, 'telephony', turns)).toEqual([]));
});
