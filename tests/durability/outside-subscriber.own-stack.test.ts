import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStackHome, eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { readRowsOf } from '../support/database.ts';
import { exampleOfReadme, ReadmeSubscriber } from '../support/readme-subscriber.ts';

let home: string;
let stack: RunningStack;
let subscriber: ReadmeSubscriber;

beforeAll(async () => {
  home = await createStackHome();
  stack = await startStack({ hasDemo: true, home });
  subscriber = new ReadmeSubscriber(stack.natsUrl, 'outside-subscriber');
  await subscriber.start();
});

afterAll(async () => {
  await subscriber?.remove();
  await stack?.stop();
  await rm(home, { recursive: true, force: true });
});

let made = 0;
/** Creates folders for as long as `work` takes, at least ten; tries again what was interrupted. */
async function during(work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 10 || !isOver; n += 1) {
    const name = `Folder ${made++}`;
    await eventually(async () => {
      const api = createApi(stack.baseUrl, stack.accounts[0]?.apiKey);
      const { status } = await api.post('/api/user/folder', { name }, { 'idempotency-key': name });
      expect(status).toBe(201);
    });
  }
  await working;
}

async function recordedIds(): Promise<string[]> {
  const rows = await readRowsOf<{ event_id: string }>(
    stack.databaseUrl,
    'assistants',
    'select event_id from es.events order by position',
  );
  return rows.map(({ event_id }) => event_id);
}

/** Every event of the log, in its order; `distinct` where the subscriber itself may have died. */
async function seesAll(distinct = false): Promise<void> {
  await eventually(async () => {
    const seen = subscriber.events.map(({ event_id }) => event_id);
    expect(distinct ? [...new Set(seen)] : seen).toEqual(await recordedIds());
  });
}

test('the example has at most 30 lines', async () => {
  expect((await exampleOfReadme()).trim().split('\n').length).toBeLessThanOrEqual(30);
});

test('kill -9 of NATS costs an outside subscriber no event and brings it none twice', async () => {
  for (let round = 0; round < 3; round += 1) await during(() => stack.signal('nats', 'SIGKILL'));
  await seesAll();
});

test('all of JetStream deleted costs it no event and brings it none twice', async () => {
  await stack.stop();
  await rm(join(home, 'nats'), { recursive: true });
  stack = await startStack({ hasDemo: true, home });
  await during(async () => undefined);
  await seesAll();
});

test('kill -9 of the subscriber itself costs it no event; ids tell what comes again', async () => {
  await during(async () => {
    await subscriber.stop('SIGKILL');
    await subscriber.start();
  });
  await seesAll(true);
  expect(subscriber.events.length).toBeGreaterThanOrEqual((await recordedIds()).length);
});
