import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connectBusClient } from '@parley/message-bus';
import {
  createStackHome,
  eventually,
  findCommandLines,
  type RunningStack,
  startStack,
} from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { readRowsOf } from '../support/database.ts';
import { quantile, reportFigure } from '../support/figures.ts';
import { runParley } from '../support/run-parley.ts';

const rounds = 20;
const longestStartMs = 15_000;

let home: string;
let stack: RunningStack;
beforeAll(async () => {
  home = await createStackHome();
  stack = await startStack({ hasDemo: true, home });
});
afterAll(async () => {
  await stack?.stop();
  await rm(home, { recursive: true, force: true });
});

test(`A7: kill -9 of everything under load, ${rounds} times over, loses nothing acknowledged, and the next start is quick`, async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  await bus.close();
  const acknowledged: string[] = [];
  const starts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let isKilled = false;
    const target = acknowledged.length + 50;
    const clients = Array.from({ length: 8 }, async () => {
      const api = createApi(stack.baseUrl, account.key);
      while (!isKilled) {
        const name = randomUUID();
        const answer = await api.post('/api/user/folder', { name }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(name);
      }
    });
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(target), 60_000);
    await stack.killTree();
    isKilled = true;
    await Promise.all(clients);
    stack = await startStack({ hasDemo: true, home });
    starts.push(stack.readyAfterMs);
  }
  const rows = await readRowsOf<{ name: string; times: number }>(
    stack.databaseUrl,
    'assistants',
    `select data->>'name' as name, count(*)::int as times from es.events
     where account_id = ${account.id} and type = 'FolderCreated' group by 1`,
  );
  const found = new Map(rows.map(({ name, times }) => [name, times]));
  const lost = acknowledged.filter((name) => found.get(name) !== 1);
  const verification = await runParley(['verify'], { PARLEY_HOME: home });
  reportFigure(
    'A7',
    `${rounds} rounds, ${acknowledged.length} acknowledged, ${lost.length} lost; ready again after ${quantile(starts, 0.5).toFixed(0)} ms (p50), ${quantile(starts, 1).toFixed(0)} ms at most; verify ends with ${verification.code}`,
  );
  expect(lost).toEqual([]);
  expect(verification.code, verification.stdout).toBe(0);
  const supervisors = (await findCommandLines(home)).filter((line) => line.includes('postgres -D'));
  expect(supervisors).toHaveLength(1);
  expect(quantile(starts, 1)).toBeLessThan(longestStartMs);
});
