import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationStream } from '../automation/automation.ts';
import { runStream } from '../run/run.ts';
import { holdUp } from './provider.fixture.ts';
import { stopRuns } from './stop-runs.ts';
import { World } from './world.fixture.ts';

test('a run that goes on to its next step as its automation is deleted is stopped there', async () => {
  const steps = ['a', 'b'].map((id) => ({ kind: 'action', id, effect: 'unkeyed' }) as const);
  const world = new World({ version: 1, steps });
  const provider = holdUp(world);
  await world.start('event-1');
  await world.work();
  const [runId = expect.unreachable()] = await world.runIds();
  await world.store.append({
    streamId: automationStream(7),
    category: 'automation',
    accountId: 3,
    expectedVersion: 0,
    events: [{ type: 'AutomationDeleted', data: { at: new Date(world.now).toISOString() } }],
    metadata: testMetadata,
  });
  const [deleted = expect.unreachable()] = await world.store.readStream(automationStream(7));
  const { store } = world;
  const append = store.append.bind(store);
  let isLooking = true;
  // The run goes on between the look at it and the append that is to end it.
  store.append = async (request) => {
    const isFirst = isLooking;
    isLooking = false;
    if (isFirst) await provider.letGo();
    return append(request);
  };
  const pages = [[{ id: runId }], []];
  const sql = { query: async () => ({ rows: (pages.shift() ?? []) as never[], rowCount: null }) };
  const [{ process } = expect.unreachable()] = world.living;
  const reactor = stopRuns({ definitions: world.definitionsFor(process), sql, store });
  const { signal } = new AbortController();
  await reactor.react(deleted, { store, effectId: () => '', metadata: testMetadata, attempt: 1, signal });
  await provider.letGo();
  expect((await world.store.readStream(runStream(runId))).slice(-4)).toMatchObject([
    { type: 'StepSucceeded', data: { step: 'a' } },
    { type: 'StepStarted', data: { step: 'b' } },
    { type: 'StepFailed', data: { step: 'b', code: 'AUTOMATION_DELETED', definite: false } },
    { type: 'RunFailed' },
  ]);
});
