import { rm } from 'node:fs/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { serviceNames } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import {
  createStackHome,
  eventually,
  type OwnNats,
  type RunningStack,
  startOwnNats,
  startStack,
} from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { readRowsOf } from '../support/database.ts';
import { reportFigure } from '../support/figures.ts';
import { runParley } from '../support/run-parley.ts';

const folders = 20_000;
const goalPerSecond = 5_000;

let home: string;
let nats: OwnNats;
let stack: RunningStack;

beforeAll(async () => {
  home = await createStackHome();
  nats = await startOwnNats();
  stack = await start();
});

afterAll(async () => {
  await stack?.stop();
  await nats?.stop();
  await rm(home, { recursive: true, force: true });
});

const start = () => startStack({ hasDemo: true, home, env: { NATS_URL: nats.url } });

/** How many events JetStream has of all services, duplicates left out by itself. */
async function publishedCount(): Promise<number> {
  const connection = await connect({ servers: nats.url });
  try {
    const manager = await jetstreamManager(connection);
    let count = 0;
    for await (const { state } of manager.streams.list()) count += state.messages;
    return count;
  } finally {
    await connection.close();
  }
}

async function recordedCount(): Promise<number> {
  const heads = await Promise.all(
    serviceNames.map((service) =>
      readRowsOf<{ position: string }>(stack.databaseUrl, service, 'select position from es.head'),
    ),
  );
  return heads.flat().reduce((sum, { position }) => sum + Number(position), 0);
}

test(`A6: with all of JetStream deleted, ${folders} events are published anew and every view is what its events say`, async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { key } = await registerTestAccount(bus);
  await bus.close();
  const api = createApi(stack.baseUrl, key);
  let made = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (made < folders) {
        const answer = await api.post('/api/user/folder', { name: `Folder ${made++}` });
        expect(answer.status, answer.text).toBe(201);
      }
    }),
  );
  await eventually(async () => expect(await publishedCount()).toBe(await recordedCount()), 120_000, 100);

  await stack.stop();
  await nats.kill();
  await nats.deleteStorage();
  await nats.start();
  const starting = start();
  await eventually(async () => expect(await publishedCount()).toBeGreaterThan(0), 150_000, 5);
  const [before, startedAt] = [await publishedCount(), performance.now()];
  const recorded = await recordedCount();
  await eventually(
    async () => expect(await publishedCount()).toBeGreaterThanOrEqual(recorded - 200),
    150_000,
    20,
  );
  const perSecond = ((recorded - before) * 1_000) / (performance.now() - startedAt);
  stack = await starting;
  await eventually(async () => expect(await publishedCount()).toBe(await recordedCount()), 60_000, 100);
  const verification = await runParley(['verify'], { PARLEY_HOME: home });
  reportFigure(
    'A6',
    `${recorded} events published anew at ${perSecond.toFixed(0)} events/s; verify ends with ${verification.code}`,
  );
  expect(verification.code, verification.stdout).toBe(0);
  expect(perSecond).toBeGreaterThan(goalPerSecond);
});
