import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type AutomationEvent,
  explainAutomationRetry,
  importEvents,
  listAutomationRuns,
  type RunEvent,
  retryAutomationRun,
  setStanding,
  testAutomation,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies, travelling } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { automationsService } from '../automations-service.ts';

const accountId = 41;
const at = '2026-01-01T00:00:00.000Z';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(automationsService, 1);
});
afterAll(() => copies?.close());

const streamOf = (
  category: 'automation' | 'run',
  id: number | string,
  events: readonly (AutomationEvent | RunEvent)[],
) => travelling({ accountId, category, streamId: `${category}-${id}` }, events);

const automation = streamOf('automation', 7, [
  { type: 'AutomationCreated', data: { id: 7, name: 'One at a time', at } },
  {
    type: 'AutomationDefinitionSaved',
    data: {
      version: 1,
      hash: '0f'.repeat(32),
      definition: {
        trigger: { type: 'lead.created' },
        settings: { max_concurrent_runs: 1 },
        steps: ['send', 'last'].map((id) => ({ id, type: 'data.map', input: { a: 1 } })),
      },
      at,
    },
  },
  { type: 'AutomationActivated', data: { version: 1, at } },
]);

const today = new Date().toISOString().slice(0, 10);

/** A run that went on when its account was exported. */
function cutOff(history: string, upTo?: number) {
  const runId = randomUUID();
  const file = new URL(`../../golden/runs/${history}.json`, import.meta.url);
  const { events } = JSON.parse(
    readFileSync(file, 'utf8')
      .replaceAll('167c8a97-6daa-5430-b5b5-63c22abbb73c', runId)
      .replaceAll('2026-01-01', today),
  ) as { events: RunEvent[] };
  return { runId, events: streamOf('run', runId, events.slice(0, upTo)) };
}

test('runs that were under way in the other installation end as failed, and take no place of those that begin here', async () => {
  const executing = cutOff('backoff', 2);
  const backoff = cutOff('backoff');
  const paused = cutOff('paused');
  const ready = cutOff('resumed-and-ready');
  const failed = cutOff('failed-after-a-delay');
  const succeeded = cutOff('succeeded');
  const statuses = async () => {
    const reply = await copies.send(listAutomationRuns, { id: 7 }, { accountId });
    if (reply.kind !== 'ok') throw new Error(JSON.stringify(reply.rejection));
    const listed: { id: string; status: string }[] = JSON.parse(reply.body).runs;
    return Object.fromEntries(listed.map(({ id, status }) => [id, status]));
  };
  const imported = (events: readonly object[]) =>
    copies.ask(importEvents, { events, names: { account_id: accountId, held: [] }, next_ids: {} });
  const runs = [executing, backoff, paused, ready];
  const others = [...failed.events, ...succeeded.events.slice(0, 1)];
  await imported([...automation, ...runs.flatMap((run) => run.events), ...others]);
  await eventually(async () => expect(Object.keys(await statuses())).toHaveLength(6));
  await imported(succeeded.events.slice(1));
  await eventually(async () => expect((await statuses())[succeeded.runId]).toBe('SUCCEEDED'));
  await copies.ask(setStanding, { account_id: accountId });
  await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 61');
  const begun = await eventually(async () => {
    const sample = { sample: {}, confirm_side_effects: true };
    const reply = await copies.send(testAutomation, { id: 7, ...sample }, { accountId });
    if (reply.kind !== 'ok') throw new Error(JSON.stringify(reply.rejection));
    return JSON.parse(reply.body).run_id as string;
  });
  const expected = {
    [executing.runId]: 'FAILED',
    [backoff.runId]: 'FAILED',
    [paused.runId]: 'FAILED',
    [ready.runId]: 'FAILED',
    [failed.runId]: 'FAILED',
    [succeeded.runId]: 'SUCCEEDED',
    [begun]: 'SUCCEEDED',
  };
  await eventually(async () => expect(await statuses()).toEqual(expected));
  for (const { runId } of runs) {
    const reply = await copies.send(listAutomationRuns, { id: 7, run_id: runId }, { accountId });
    expect(reply.kind === 'ok' && reply.body).toContain('[ACCOUNT_MOVED]');
  }
  // What they worked on did not come with them, so nothing can go on from it.
  for (const { runId } of [...runs, failed]) {
    const about = { id: 7, run_id: runId };
    const explained = await copies.send(explainAutomationRetry, about, { accountId });
    expect(explained.kind === 'ok' && JSON.parse(explained.body)).toMatchObject({
      retry: { possible: false, reason: 'payloads_erased', error: 'retry_no_op' },
    });
    const retried = await copies.send(retryAutomationRun, about, { accountId });
    expect(retried.kind === 'rejected' && retried.rejection.code).toBe('retry_no_op');
  }
  expect(await statuses()).toEqual(expected);
});
