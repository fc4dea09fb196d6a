import type { RunEvent } from '@parley/contracts';
import { StoreUnavailable } from '@parley/event-store';
import { SealKeyMissing } from '@parley/process-kit';
import { given, golden } from '@parley/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { advance } from '../run/advance/advance.ts';
import { compiledDefinition } from '../run/definition.fixture.ts';
import { run } from '../run/fold-run.ts';
import { Progress } from '../run/progress.ts';
import { performAction } from './perform-action.ts';
import type { Connections } from './ports.ts';

function startedRun() {
  const state = given(run, ...golden<RunEvent>('RunStarted.v1'));
  if (!state) throw new Error('A start makes a run.');
  return state;
}

const definition = compiledDefinition(
  12,
  { version: 3, steps: [{ kind: 'action', id: 'tell', effect: 'unkeyed', usesConnection: true }] },
  async (_, { connection }) => ({ ok: true, output: { has: connection !== null } }),
);

/** The first attempt of its step, with connections that are found like this. */
function perform(resolve: Connections['resolve']) {
  const started = startedRun();
  const circumstances = { now: Date.parse(started.startedAt), newRef: () => 'ref', chance: () => 0 };
  const progress = new Progress(started, { trigger: null, outputs: new Map() }, circumstances);
  const work = advance(progress, definition);
  if (!work) throw new Error('There is something to do.');
  const loaded = {
    run: progress.run,
    version: 2,
    accountId: 3,
    correlationId: 'c',
    chainDepth: 0,
    attemptId: null,
    isImported: false,
    beganElsewhere: false,
  };
  const { signal: closing } = new AbortController();
  return performAction({ connections: { resolve }, closing }, loaded, definition, work);
}

test('while the database is away a step waits for its connection, and has not failed', async () => {
  let isAway = true;
  const { outcome } = await perform(async () => {
    if (isAway) {
      isAway = false;
      throw new StoreUnavailable('not-written');
    }
    return { ok: true, value: { kind: 'http_bearer', id: '1', value: { token: 't' } } };
  });
  expect(outcome).toEqual({ ok: true, output: { has: true } });
});

test('the time for which its connection was waited for is none that a run works', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const { outcome, ms } = await perform(async () => {
    now += 15 * 60_000;
    return { ok: true, value: { kind: 'http_bearer', id: '1', value: { token: 't' } } };
  });
  expect(outcome).toMatchObject({ ok: true });
  expect(ms).toBe(0);
});

test('while this process lacks the key of its connection a step holds no place: it is for whoever has it, at no cost', async () => {
  const { outcome } = await perform(async () => {
    throw new SealKeyMissing('k2');
  });
  expect(outcome).toMatchObject({
    ok: false,
    code: 'CONNECTION_SEALED',
    transient: true,
    definite: true,
    retryAfterSeconds: 5,
    patienceMs: 86_400_000,
  });
});

test('whatever else goes wrong with it is an outcome that nobody knows', async () => {
  const { outcome } = await perform(async () => {
    throw new Error('odd');
  });
  expect(outcome).toMatchObject({ ok: false, code: 'ACTION_FAILED', definite: false });
});
