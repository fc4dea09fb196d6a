import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advanceClock, operatorSubject, serviceNames, setBalance } from '@parley/contracts';
import { findFreePort, findNatsServer, type ServerProcess, startNats } from '@parley/embedded-servers';
import { BusServer } from '@parley/message-bus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

/** A NATS of its own: on the run's, services under test may answer too. */
let nats: ServerProcess;
let natsDir: string;
let sandbox: TestSandbox;
const servers: BusServer[] = [];
const offsets: Record<string, number[]> = {};
const down = new Set<string>();

beforeAll(async () => {
  natsDir = await mkdtemp(join(tmpdir(), 'parley-sandbox-'));
  const toolDir = join(import.meta.dirname, '..', '..', '..', '..', '.toolchain', 'nats-server');
  const binary = await findNatsServer(toolDir, '');
  nats = await startNats({ binary, storeDir: natsDir, port: await findFreePort() });
  for (const service of serviceNames) servers.push(await respond(service));
  sandbox = await startTestSandbox({ natsUrl: nats.url });
});
afterAll(async () => {
  await sandbox.close();
  await Promise.all(servers.map((server) => server.close()));
  await nats.stop();
  await rm(natsDir, { recursive: true, force: true });
});

async function respond(service: string): Promise<BusServer> {
  const server = new BusServer({ servers: [nats.url], service });
  server.addHandler(operatorSubject(service, advanceClock), async (payload: unknown) => {
    const input = advanceClock.input.parse(payload);
    if (down.has(service)) return { kind: 'rejected', rejection: { code: 'unavailable' } };
    offsets[service] = [...(offsets[service] ?? []), input.offset_seconds];
    return { kind: 'ok', body: JSON.stringify({ now: new Date().toISOString() }) };
  });
  if (service === setBalance.service)
    server.addHandler(`cmd.${service}.${setBalance.name}`, async (payload: unknown) => {
      const input = setBalance.input.parse(payload);
      if (input.email !== 'demo@example.com') return { kind: 'rejected', rejection: { code: 'not_found' } };
      return {
        kind: 'ok',
        body: JSON.stringify({ available_micros: input.total_micros, reserved_micros: 0 }),
      };
    });
  await new Promise<void>((resolve, reject) => {
    server.listen((error) => (error ? reject(error) : resolve()));
  });
  return server;
}

const clock = z.object({ now: z.iso.datetime(), offset_seconds: z.number() });

test('time moves for every service by one absolute offset, survives a restart and a reset', async () => {
  const moved = await sandbox.control('clock/advance', { seconds: 3600 });
  expect(moved).toMatchObject({ status: 200, body: { offset_seconds: 3600 } });
  await sandbox.restart();
  await sandbox.control('reset');
  expect(await sandbox.control('clock/advance', { seconds: 60 })).toMatchObject({
    body: { offset_seconds: 3660 },
  });
  for (const service of serviceNames) expect(offsets[service]).toEqual([3600, 3660]);
  const { now } = clock.parse((await sandbox.read('/control/clock')).body);
  expect(Date.parse(now) - Date.now()).toBeGreaterThan(3_650_000);
});

test('a service that does not confirm makes it a 503, and repeating it does not move time twice', async () => {
  const [service = ''] = serviceNames;
  const before = clock.parse((await sandbox.read('/control/clock')).body).offset_seconds;
  down.add(service);
  expect(await sandbox.control('clock/advance', { seconds: 30 })).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining(service) },
  });
  down.delete(service);
  expect(await sandbox.control('clock/advance', { seconds: 30 })).toMatchObject({
    status: 200,
    body: { offset_seconds: before + 30 },
  });
  expect(offsets[service]?.at(-1)).toBe(before + 30);
});

test('an account gets the balance given, by a message to the accounts service', async () => {
  const balance = { email: 'demo@example.com', total_balance: '12.50' };
  expect(await sandbox.control('accounts/balance', balance)).toEqual({ status: 200, body: balance });
  const unknown = { ...balance, email: 'nobody@example.com' };
  expect((await sandbox.control('accounts/balance', unknown)).status).toBe(404);
});
