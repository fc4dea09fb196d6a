import type { RunEvent } from '@parley/contracts';
import { createTestStore, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { createAutomation } from '../automation/change-automation.ts';
import { createDefinitions } from '../automation/definitions.ts';
import { actions } from '../definition/definition.fixture.ts';
import { progressWithoutMemory, RunLog } from '../engine/run-log.ts';
import { runStarted } from '../run/advance/start-run.ts';
import { startRetry } from '../run/retry/retry.ts';
import { runCategory, runIdOf, runStream } from '../run/run.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { automationsView } from '../views/automations-view.ts';
import { createFailedRuns } from './failed-run.ts';

const about = { accountId: 7, metadata: testMetadata };
const fault = { code: 'SENDER_OFFLINE', class: 'missing_connection', message: 'It is offline.' } as const;

/** A run that has failed, was retried and has failed again; what is told of each of its failures. */
async function failedTwice() {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const definitions = createDefinitions(store.pool, actions);
  const now = await store.now();
  const { events } = createAutomation(null, {
    id: 4,
    name: 'Orders',
    definition: { trigger: { type: 'lead.created' }, steps: [{ id: 'map', type: 'data.map', input: {} }] },
    isEnabled: true,
    tokenHash: null,
    now,
  });
  const automation = { ...about, streamId: automationStream(4), category: automationCategory };
  await store.append({ ...automation, expectedVersion: 0, events });
  const definition = await definitions.load(4, 1);
  if (!definition) throw new Error('It was saved.');
  const streamId = runStream(runIdOf(4, 'event-1'));
  const append = (more: readonly RunEvent[]) =>
    store.append({ ...about, streamId, category: runCategory, expectedVersion: 'any', events: more });
  const trigger = { type: 'lead.created', eventId: 'event-1', payload: null };
  const start = { automationId: 4, version: 1, trigger, chainDepth: 2, correlationId: 'test' };
  const payload = { ref: 'trigger', bytes: 4, hash: '' };
  await append([runStarted(start, { definition, trigger: payload, at: now.toISOString() })]);
  for (const isRetry of [false, true]) {
    const loaded = await new RunLog(store).load(runIdOf(4, 'event-1'));
    if (!loaded) throw new Error('The run has begun.');
    const progress = progressWithoutMemory(loaded, now.getTime());
    if (isRetry) startRetry(progress, 'map', definition, null);
    progress.fail({ id: 'map', path: 'map' }, fault);
    await append(progress.events);
  }
  const failures = (await store.readStream(streamId)).filter(({ type }) => type === 'RunFailed');
  const find = createFailedRuns({ definitions, queries: new AutomationQueries(store.pool), store });
  return { store, automation, told: () => Promise.all(failures.map(find)) };
}

test('each failure of a run is told of as it was then, however late that is', async () => {
  const { told } = await failedTwice();
  const failure = { automation_id: 4, automation_name: 'Orders', chain_depth: 2, code: 'SENDER_OFFLINE' };
  expect(await told()).toMatchObject([
    { ...failure, retries: 0, retry: { possible: true, from_step: 'map' } },
    { ...failure, retries: 1, retry: { possible: true, from_step: 'map' } },
  ]);
});

test('nothing is told of the runs of an automation that was deleted', async () => {
  const { automation, store, told } = await failedTwice();
  const at = (await store.now()).toISOString();
  const deleted = [{ type: 'AutomationDeleted', data: { at } }];
  await store.append({ ...automation, expectedVersion: 'any', events: deleted });
  expect(await told()).toEqual([undefined, undefined]);
});
