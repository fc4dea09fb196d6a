import { serviceNames } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { knownEmail, startTestServices, type TestServices } from '../services.fixture.ts';

let services: TestServices;
let sandbox: TestSandbox;

beforeAll(async () => {
  services = await startTestServices();
  sandbox = await startTestSandbox({ natsUrl: services.natsUrl });
});
afterAll(async () => {
  await sandbox.close();
  await services.close();
});

const clock = z.object({ now: z.iso.datetime(), offset_seconds: z.number() });

test('time moves for every service by one absolute offset, survives a reset, and is told again after a restart', async () => {
  const moved = await sandbox.control('clock/advance', { seconds: 3600 });
  expect(moved).toMatchObject({ status: 200, body: { offset_seconds: 3600 } });
  await sandbox.restart();
  await eventually(() => {
    for (const service of serviceNames) expect(services.offsets.get(service)).toEqual([3600, 3600]);
  });
  await sandbox.control('reset');
  expect(await sandbox.control('clock/advance', { seconds: 60 })).toMatchObject({
    body: { offset_seconds: 3660 },
  });
  for (const service of serviceNames) expect(services.offsets.get(service)).toEqual([3600, 3600, 3660]);
  const { now } = clock.parse((await sandbox.read('/control/clock')).body);
  expect(Date.parse(now) - Date.now()).toBeGreaterThan(3_650_000);
});

test('a service that does not confirm makes it a 503, and repeating it does not move time twice', async () => {
  const [service = ''] = serviceNames;
  const before = clock.parse((await sandbox.read('/control/clock')).body).offset_seconds;
  services.refusing.add(service);
  expect(await sandbox.control('clock/advance', { seconds: 30 })).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining(service) },
  });
  services.refusing.delete(service);
  expect(await sandbox.control('clock/advance', { seconds: 30 })).toMatchObject({
    status: 200,
    body: { offset_seconds: before + 30 },
  });
  expect(services.offsets.get(service)?.at(-1)).toBe(before + 30);
});

test('an account gets the balance given, by a message to the accounts service', async () => {
  const balance = { email: knownEmail, total_balance: '12.50' };
  expect(await sandbox.control('accounts/balance', balance)).toEqual({ status: 200, body: balance });
  const unknown = { ...balance, email: 'nobody@example.com' };
  expect((await sandbox.control('accounts/balance', unknown)).status).toBe(404);
});
