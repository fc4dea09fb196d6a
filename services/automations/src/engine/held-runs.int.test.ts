import { createTestDatabase, eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runIdOf } from '../run/run.ts';
import { Automations, causeOfCaller, startCopy } from './copies.fixture.ts';
import { RunLog } from './run-log.ts';

test('where no run is worked on, those under way wait, end with their automation, and go on later', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const automations = new Automations();
  let acted = 0;
  automations.act = async () => {
    acted += 1;
    return { ok: true, output: {} };
  };
  const steps = [{ kind: 'action', effect: 'unkeyed', id: 'send' } as const];
  for (const id of [7, 8]) automations.define(id, 3, { version: 1, steps });
  const held = await startCopy(url, automations, 0);
  onTestFinished(() => held.close());
  const statusOf = async (id: number) => {
    const loaded = await new RunLog(held.store).load(runIdOf(id, 'a'));
    return loaded?.run.status;
  };
  for (const id of [7, 8]) await held.start(id, 'a');
  await held.store.append({
    streamId: 'automation-7',
    category: 'automation',
    accountId: 3,
    expectedVersion: 'any',
    events: [{ type: 'AutomationDeleted', data: {} }],
    metadata: causeOfCaller().metadata,
  });
  await eventually(async () => expect(await statusOf(7)).toBe('FAILED'));
  expect([await statusOf(8), acted]).toEqual(['RUNNING', 0]);
  const working = await startCopy(url, automations);
  onTestFinished(() => working.close());
  await eventually(async () => expect(await statusOf(8)).toBe('SUCCEEDED'));
  expect(acted).toBe(1);
});
