import { setClockOffset } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StepSpec } from '../run/definition.fixture.ts';
import { runIdOf, runStream } from '../run/run.ts';
import { runsTable } from '../views/runs-view.ts';
import { Automations, type Copy, causeOfCaller, startCopy } from './copies.fixture.ts';
import { RunLog } from './run-log.ts';
import { stopRuns } from './stop-runs.ts';

const accountId = 3;
const automationId = 7;
let url: string;
let drop: () => Promise<void>;
let automations: Automations;
let copies: Copy[];

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  automations = new Automations();
  copies = [await startCopy(url, automations), await startCopy(url, automations)];
});
afterEach(async () => {
  await Promise.all(copies.map((copy) => copy.close()));
  await drop();
});

const action = (id: string, about: Partial<Extract<StepSpec, { kind: 'action' }>> = {}): StepSpec => ({
  kind: 'action',
  effect: 'local',
  id,
  ...about,
});
const define = (...steps: readonly StepSpec[]) =>
  automations.define(automationId, accountId, { version: 1, steps });
const copy = (index = 0): Copy => {
  const found = copies[index % copies.length];
  if (!found) throw new Error('There is no copy.');
  return found;
};
const statusOf = async (runId: string) => (await new RunLog(copy().store).load(runId))?.run.status;
const typesOf = async (runId: string) =>
  (await copy().store.readStream(runStream(runId))).map(({ type }) => type);
const tell = (type: string) =>
  copy().store.append({
    streamId: `automation-${automationId}`,
    category: 'automation',
    accountId,
    expectedVersion: 'any',
    events: [{ type, data: {} }],
    metadata: causeOfCaller().metadata,
  });
const becomes = (runId: string, status: string) =>
  eventually(async () => expect(await statusOf(runId)).toBe(status));

describe('a run', () => {
  test('goes through its steps with one append each, and ends', async () => {
    define(action('one'), action('two'), action('three'));
    await copy().start(automationId, 'a');
    const runId = runIdOf(automationId, 'a');
    await becomes(runId, 'SUCCEEDED');
    const events = await copy().store.readStream(runStream(runId));
    expect(events.map(({ type }) => type)).toEqual([
      'RunStarted',
      'StepStarted',
      'StepSucceeded',
      'StepStarted',
      'StepSucceeded',
      'StepStarted',
      'StepSucceeded',
      'RunSucceeded',
    ]);
    // What is of people is not in the log.
    expect(JSON.stringify(events)).not.toContain('+491701234567');
    const { rows } = await copy().store.pool.query('select sealed from payloads.run_payloads');
    expect(rows).toHaveLength(7);
    expect(JSON.stringify(rows)).not.toContain('+491701234567');
  });

  test('starts once, however often and to however many copies its event is told', async () => {
    define(action('one'));
    const starts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => copy(index).start(automationId, 'told often')),
    );
    expect(starts.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(starts.filter(({ kind }) => kind === 'known')).toHaveLength(19);
    await becomes(runIdOf(automationId, 'told often'), 'SUCCEEDED');
  });

  test('waits at a delay until the platform clock says so, and is retried after it in the same run', async () => {
    const calls: string[] = [];
    automations.act = async (input) => {
      calls.push(JSON.stringify(input));
      return JSON.stringify(input).includes('"step":"last"') && calls.length < 3
        ? {
            ok: false,
            code: 'LEAD_NOT_FOUND',
            class: 'missing_record',
            message: 'No such lead.',
            transient: false,
            definite: true,
          }
        : { ok: true, output: { done: true } };
    };
    define(action('first'), { kind: 'delay', id: 'wait', for: 'PT2H' }, action('last'));
    await copy().start(automationId, 'b');
    const runId = runIdOf(automationId, 'b');
    await becomes(runId, 'PAUSED');
    expect(calls).toHaveLength(1);
    await setClockOffset(copy().store.pool, 7_201);
    await becomes(runId, 'FAILED');
    const reply = await copy(1).retries.retry(accountId, automationId, runId, causeOfCaller());
    // A run that is not over within a second and a half is told as one that goes on.
    expect(reply).toMatchObject({ kind: 'ok', body: expect.stringMatching(/"(SUCCEEDED|RUNNING)"/) });
    await becomes(runId, 'SUCCEEDED');
    expect(calls.filter((call) => call.includes('"step":"first"'))).toHaveLength(1);
  });

  test('is retried once by fifty requests at the same time', async () => {
    let isRepaired = false;
    let calls = 0;
    automations.act = async () => {
      calls += 1;
      if (isRepaired) return { ok: true, output: {} };
      return {
        ok: false,
        code: 'SEND_FAILED',
        class: 'wiring_error',
        message: 'No.',
        transient: false,
        definite: true,
      };
    };
    define(action('one'), action('two'));
    await copy().start(automationId, 'c');
    const runId = runIdOf(automationId, 'c');
    await becomes(runId, 'FAILED');
    isRepaired = true;
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        copy(index).retries.retry(accountId, automationId, runId, causeOfCaller()),
      ),
    );
    const codes = replies.map((reply) => (reply.kind === 'ok' ? 'ok' : reply.rejection.code));
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'retry_failed')).toHaveLength(49);
    await becomes(runId, 'SUCCEEDED');
    expect(calls).toBe(3);
    expect((await typesOf(runId)).filter((type) => type === 'RunRetried')).toHaveLength(1);
  });

  test('of an automation that is deleted ends, wherever it is', async () => {
    define({ kind: 'delay', id: 'wait', for: 'P1D' }, action('last'));
    await copy().start(automationId, 'd');
    const runId = runIdOf(automationId, 'd');
    await becomes(runId, 'PAUSED');
    automations.setStatus(automationId, 'deleted');
    await tell('AutomationDeleted');
    await becomes(runId, 'FAILED');
    const { rows } = await copy().store.pool.query(`select from es.timers where id = 'run:${runId}'`);
    expect(rows).toHaveLength(0);
  });

  test('is stopped by the end of its automation’s activity after its start, not by one before it that is heard late', async () => {
    const delay = { kind: 'delay', id: 'wait', for: 'P1D' } as const;
    const settings = { onDeactivate: 'stop' } as const;
    automations.define(automationId, accountId, { version: 1, steps: [delay], settings });
    await tell('AutomationDeactivated');
    await copy().start(automationId, 'e');
    const runId = runIdOf(automationId, 'e');
    await becomes(runId, 'PAUSED');
    const { store } = copy();
    const [early] = await store.readStream(`automation-${automationId}`);
    if (!early) throw new Error('It was told.');
    const { metadata } = causeOfCaller();
    const about = { store, effectId: () => '', metadata, attempt: 1, signal: new AbortController().signal };
    await stopRuns({ definitions: automations, sql: store.pool, store }).react(early, about);
    expect(await statusOf(runId)).toBe('PAUSED');
    await tell('AutomationDeactivated');
    await becomes(runId, 'FAILED');
  });
});

describe('runs', () => {
  test('of one account do not hold up those of another', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let waiting = 0;
    automations.act = async (_input, { accountId: account }) => {
      if (account === accountId) {
        waiting += 1;
        await gate;
      }
      return { ok: true, output: {} };
    };
    automations.define(automationId, accountId, {
      version: 1,
      steps: [action('slow')],
      settings: { maxConcurrentRuns: 500 },
    });
    automations.define(8, 4, { version: 1, steps: [action('quick')] });
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => copy(index).start(automationId, `many ${index}`)),
    );
    await copy().start(8, 'one');
    await becomes(runIdOf(8, 'one'), 'SUCCEEDED');
    // Three quarters of the 64 places of each copy.
    await eventually(() => expect(waiting).toBe(96));
    open();
    await eventually(async () => {
      const { rows } = await copy().store.pool.query(
        `select count(*) from ${runsTable} where status = 'SUCCEEDED'`,
      );
      expect(Number(rows[0]?.count)).toBe(301);
    });
  });

  test('of one automation are never more at a time than it wants, over all copies', async () => {
    let busy = 0;
    let most = 0;
    const { promise: mayEnd, resolve: goOn } = Promise.withResolvers<void>();
    automations.act = async () => {
      busy += 1;
      most = Math.max(most, busy);
      await mayEnd;
      await new Promise((resolve) => setTimeout(resolve, 10));
      busy -= 1;
      return { ok: true, output: {} };
    };
    automations.define(automationId, accountId, {
      version: 1,
      steps: [action('one')],
      settings: { maxConcurrentRuns: 3 },
    });
    await Promise.all(Array.from({ length: 30 }, (_, index) => copy().start(automationId, `${index}`)));
    await eventually(() => expect(busy).toBe(3));
    goOn();
    await eventually(async () => {
      const { rows } = await copy().store.pool.query(
        `select count(*) from ${runsTable} where status = 'SUCCEEDED'`,
      );
      expect(Number(rows[0]?.count)).toBe(30);
    });
    expect(most).toBe(3);
  });
});
