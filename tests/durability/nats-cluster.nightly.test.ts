import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBusClient } from '@parley/message-bus';
import {
  eventually,
  type OwnNatsCluster,
  type RunningStack,
  startOwnNatsCluster,
  startStack,
} from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { untilDefinite } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { reportFigure } from '../support/figures.ts';
import { ReadmeSubscriber } from '../support/readme-subscriber.ts';

const clients = 8;
const downMs = 5_000;
const goalMs = 5_000;

let nats: OwnNatsCluster;
let stack: RunningStack;
let subscriber: ReadmeSubscriber;

beforeAll(async () => {
  nats = await startOwnNatsCluster();
  stack = await startStack({
    copies: { gateway: 2, accounts: 2, assistants: 2 },
    env: { NATS_URL: nats.url, NATS_REPLICAS: String(nats.nodes.length) },
  });
  subscriber = new ReadmeSubscriber(nats.url, 'cluster-subscriber');
  await subscriber.start();
});

afterAll(async () => {
  await subscriber?.remove();
  await stack?.stop();
  await nats?.stop();
});

/** Creates folders until told to stop; tells how many and how long the slowest took. */
function createFolders(key: string) {
  let isOver = false;
  let made = 0;
  let slowestMs = 0;
  const working = Array.from({ length: clients }, async (_, client) => {
    const api = createApi(stack.gatewayUrls[client % 2] ?? '', key);
    while (!isOver) {
      const body = { name: `Folder ${made++}` };
      const headers = { 'idempotency-key': randomUUID() };
      const askedAt = performance.now();
      const answer = await untilDefinite(() => api.post('/api/user/folder', body, headers));
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
      expect(answer.status, answer.text).toBe(201);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(working);
    return { made, slowestMs };
  };
}

/** Each server is away for a while, then two at once: the last one alone stores no events, but carries commands. */
async function killInTurn(): Promise<void> {
  for (const victims of [...nats.nodes.map((node) => [node]), nats.nodes.slice(1)]) {
    await Promise.all(victims.map(nats.kill));
    await sleep(downMs);
    await Promise.all(victims.map(nats.start));
    await sleep(downMs);
  }
}

test('A3: of a NATS cluster of three, each server and then two at once are killed under load: no command is lost, no event missed or seen twice', async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { id, key } = await registerTestAccount(bus);
  await bus.close();
  const stop = createFolders(key);
  await killInTurn();
  const { made, slowestMs } = await stop();
  reportFigure('A3', `NATS cluster: ${made} commands, the slowest ${(slowestMs / 1_000).toFixed(1)} s`);

  const names = await readRowsOf<{ name: string }>(
    stack.databaseUrl,
    'assistants',
    `select data->>'name' as name from es.events where account_id = ${id} and type = 'FolderCreated'`,
  );
  expect(names).toHaveLength(made);
  expect(new Set(names.map(({ name }) => name)).size).toBe(made);
  const recorded = await readRowsOf<{ event_id: string }>(
    stack.databaseUrl,
    'assistants',
    'select event_id from es.events order by position',
  );
  await eventually(
    () =>
      expect(subscriber.events.map(({ event_id }) => event_id)).toEqual(
        recorded.map(({ event_id }) => event_id),
      ),
    60_000,
  );
  expect(slowestMs).toBeLessThan(goalMs);
});
