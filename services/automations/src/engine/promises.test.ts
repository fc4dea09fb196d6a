import type { RunEvent } from '@parley/contracts';
import { StoreUnavailable } from '@parley/event-store';
import { eventually, testMetadata } from '@parley/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { endRun, payloadsGone } from '../run/advance/end-run.ts';
import type { StepSpec } from '../run/definition.fixture.ts';
import { Progress } from '../run/progress.ts';
import { effectKeyOf, runStream } from '../run/run.ts';
import { runTimerId } from '../timers/run-timers.ts';
import { checkInvariants } from './invariants.fixture.ts';
import { busy, holdUp } from './provider.fixture.ts';
import { metadataOf, RunLog } from './run-log.ts';
import { World } from './world.fixture.ts';

const hour = 3_600_000;
const steps: readonly StepSpec[] = [
  { kind: 'action', id: 'first', effect: 'local' },
  { kind: 'delay', id: 'wait', for: 'PT1H' },
  { kind: 'action', id: 'last', effect: 'keyed' },
];
async function onlyRunId(world: World): Promise<string> {
  const [runId] = await world.runIds();
  if (runId === undefined) throw new Error('No run was started.');
  return runId;
}

/** What was decided; leaves out what is drawn at random, and how long things took. */
const decisionsOf = async (world: World) =>
  (await world.store.readStream(runStream(await onlyRunId(world)))).map(({ type, data, recordedAt }) => {
    // The streams hold runs' events only.
    const { trigger: _, after_ms, ms, ...decided } = data as RunEvent['data'] & Record<string, unknown>;
    const kept = Object.entries(decided).filter(([name]) => !name.endsWith('_ref'));
    return { type, recordedAt, ...Object.fromEntries(kept) };
  });

/** The others look at the run so often, as often as they do. */
async function lookAt(world: World, times: number, by = world.living.slice(1)): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    world.now += 2_000;
    await world.fireTimers(by);
  }
}

/** Through an attempt that fails, a delay, and to the end; `tick` comes before everything that is done. */
async function wholeLife(tick: () => void): Promise<World> {
  const world = new World({ version: 1, steps });
  world.script(busy);
  const happenings = [
    () => world.start('event-1', 3),
    () => world.work(),
    ...Array.from({ length: 6 }, () => async () => {
      world.now += hour / 2;
      await world.fireTimers();
      await world.work();
    }),
  ];
  for (const happens of happenings) {
    tick();
    await happens();
    await checkInvariants(world);
  }
  return world;
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('8', () => {
  test('a step that failed before it began has its key and its time when the run is retried', async () => {
    const action = { kind: 'action', id: 'shape', effect: 'pure' } as const;
    const world = new World({ version: 1, steps: [action], settings: { onDeactivate: 'stop' } });
    await world.start('event-1');
    world.standing = { ...world.standing, status: 'inactive' };
    await world.work();
    const runId = await onlyRunId(world);
    expect((await decisionsOf(world)).map(({ type }) => type)).toEqual([
      'RunStarted',
      'StepFailed',
      'RunFailed',
    ]);
    world.now += hour;
    await world.retry(runId, ['00000000-0000-4000-8000-000000000001']);
    await world.work();
    expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' });
    // Without effects it may be carried out by every process that tries to append what comes of it.
    expect(world.calls).not.toEqual([]);
    for (const call of world.calls)
      expect(call).toMatchObject({
        effectKey: effectKeyOf(runId, 'shape'),
        now: new Date(world.now).toISOString(),
      });
  });

  test('a step that is tried again is done once, though nobody was told that its attempt is on record', async () => {
    const steps = [{ kind: 'action', id: 'unkeyed', effect: 'unkeyed' } as const];
    const world = new World({ version: 1, steps }, undefined, 1);
    world.script(busy);
    await world.start('event-1');
    await world.work();
    world.now += 2_400;
    world.lostAnswers = 1;
    await world.fireTimers();
    expect(world.calls).toHaveLength(1);
    world.now += 2_000;
    await world.fireTimers();
    expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' });
    expect(world.calls).toHaveLength(2);
    await checkInvariants(world);
  });

  test.each(['the time', 'what it came to'])(
    'an attempt that ends while the database is away is put on record, and not made again: %s waits for it',
    async (what) => {
      const world = new World({ version: 1, steps: [{ kind: 'action', id: 'unkeyed', effect: 'unkeyed' }] });
      const provider = holdUp(world);
      await world.start('event-1');
      await world.work();
      const outage = new StoreUnavailable('not-written');
      const away =
        what === 'the time'
          ? vi.spyOn(world.store, 'now').mockRejectedValueOnce(outage)
          : vi.spyOn(world.payloads, 'set').mockImplementationOnce(() => {
              throw outage;
            });
      await provider.letGo();
      await eventually(async () =>
        expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' }),
      );
      expect(away).toHaveBeenCalledTimes(2);
      expect(world.calls).toHaveLength(1);
      await checkInvariants(world);
    },
  );

  test('a run stays with the worker that goes on with it, however long its steps take together', async () => {
    const slow = ['a', 'b', 'c'].map((id) => ({ kind: 'action', id, effect: 'unkeyed' }) as const);
    const world = new World({ version: 1, steps: slow });
    const provider = holdUp(world);
    await world.start('event-1');
    await world.work();
    for (const _ of slow) {
      await lookAt(world, 30);
      await provider.letGo();
    }
    expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded', steps: 3 });
    expect(world.calls).toHaveLength(3);
  });

  test('a worker that lost a run, and has it again, does not let it go when its first attempt ends at last', async () => {
    const world = new World({ version: 1, steps: [{ kind: 'action', id: 'slow', effect: 'local' }] });
    const [first, other] = world.living;
    if (!first || !other) throw new Error('There are two processes.');
    const firstAttempt = holdUp(world);
    await world.start('event-1');
    await world.work();
    await lookAt(world, 55, [other]);
    world.kill(1);
    const lastAttempt = holdUp(world);
    await lookAt(world, 2, [first]);
    const stream = runStream(await onlyRunId(world));
    const starts = async () =>
      (await world.store.readStream(stream)).filter(({ type }) => type === 'StepStarted');
    expect(await starts()).toHaveLength(3);
    await firstAttempt.letGo();
    await lookAt(world, 3, [first]);
    expect(await starts()).toHaveLength(3);
    await lastAttempt.letGo();
    expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' });
  });
});

describe('13', () => {
  test.each(['first', 'later'])('a run whose %s step cannot be worked out ends there', async (place) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const absurd = { kind: 'action', id: 'absurd', effect: 'unkeyed', isAbsurd: true } as const;
    const world = new World({ version: 1, steps: place === 'first' ? [absurd] : [...steps, absurd] });
    await world.start('event-1');
    for (let round = 0; round < 3; round += 1) {
      await world.work();
      world.now += hour;
      await world.fireTimers();
    }
    expect((await decisionsOf(world)).slice(-2)).toMatchObject([
      { type: 'StepFailed', path: 'absurd', code: 'STEP_UNDECIDABLE', class: 'wiring_error' },
      { type: 'RunFailed' },
    ]);
    await checkInvariants(world);
  });
});

describe('6', () => {
  test('a delay whose timer comes before its time, as where the clock was set back, keeps its timer', async () => {
    const world = new World({ version: 1, steps: [{ kind: 'delay', id: 'wait', for: 'PT1H' }] });
    await world.start('event-1');
    await world.work();
    const [timer] = world.store.timers();
    const [{ timers, store } = expect.unreachable()] = world.living;
    if (!timer) throw new Error('The run waits.');
    const fire = () => timers[timer.kind]?.(timer, { store, metadata: testMetadata });
    const { id, kind, dueAt, payload } = timer;
    const again = [{ id, kind, due: { at: dueAt }, payload }];
    expect(await fire()).toMatchObject({ events: [], timers: again });
    world.now += hour;
    expect(await fire()).toMatchObject({ events: [{ type: 'RunResumed' }, { type: 'StepSucceeded' }] });
  });

  test('a delay whose window has closed before its timer came, as after an outage, waits until it opens again', async () => {
    const window = { days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' };
    const world = new World({
      version: 1,
      steps: [
        { kind: 'delay', id: 'wait', for: 'PT1H', window },
        { kind: 'action', id: 'call', effect: 'keyed' },
      ],
    });
    await world.start('event-1');
    await world.work();
    // Friday night; the delay was over on Thursday at nine.
    for (const now of ['2026-01-02T20:00:00Z', '2026-01-05T07:59:59Z']) {
      world.now = Date.parse(now);
      await world.fireTimers();
      await world.work();
      await checkInvariants(world);
      expect(world.calls).toEqual([]);
      const [{ dueAt } = expect.unreachable()] = world.store.timers();
      expect(Date.parse(dueAt)).toBe(Date.parse('2026-01-05T08:00:00Z'));
    }
    world.now = Date.parse('2026-01-05T08:00:00Z');
    await world.fireTimers();
    await world.work();
    await checkInvariants(world);
    expect(world.calls).toHaveLength(1);
  });
});

describe('16', () => {
  test('processes whose own clocks are an hour off, and jump, decide the same', async () => {
    const expected = await decisionsOf(await wholeLife(() => undefined));
    expect(expected.at(-1)).toMatchObject({ type: 'RunSucceeded' });
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const skew of [-hour, hour]) {
      let sign = 1;
      const world = await wholeLife(() => {
        sign = -sign;
        vi.setSystemTime(Date.parse('2026-01-01T00:00:00Z') + sign * skew);
      });
      expect(await decisionsOf(world)).toEqual(expected);
    }
  });
});

describe('17', () => {
  test('timers that were fired, replaced or cancelled change nothing when they come again', async () => {
    const seen = new Map<string, Parameters<typeof world.fireAgain>[0][number]>();
    const world = new World({ version: 1, steps });
    world.script(busy);
    const remember = () => {
      for (const timer of world.store.timers()) seen.set(`${timer.kind} ${timer.dueAt}`, timer);
    };
    await world.start('event-1');
    await world.work();
    remember();
    for (let round = 0; round < 6; round += 1) {
      world.now += hour / 2;
      await world.fireTimers();
      remember();
      await world.work();
      remember();
      const [before, timers] = [await decisionsOf(world), world.store.timers()];
      const live = new Set(timers.map(({ id, dueAt }) => `${id} ${dueAt}`));
      const stale = [...seen.values()].filter(({ id, dueAt }) => !live.has(`${id} ${dueAt}`));
      await world.fireAgain([...stale, ...stale].reverse());
      expect(await decisionsOf(world)).toEqual(before);
      expect(world.store.timers()).toEqual(timers);
    }
    expect([...seen.keys()].map((key) => key.split(' ')[0])).toEqual(
      expect.arrayContaining(['run-backoff', 'run-delay', 'run-retention']),
    );
    expect((await decisionsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' });
  });

  test('whoever decides on an earlier version of the run is refused', async () => {
    const world = new World({ version: 1, steps });
    const log = new RunLog(world.store);
    await world.start('event-1');
    const early = await log.load(await onlyRunId(world));
    if (!early) throw new Error('The run is there.');
    await world.work();
    const before = await decisionsOf(world);
    const circumstances = { now: world.now, newRef: () => 'late', chance: () => 0 };
    const late = new Progress(early.run, { trigger: null, outputs: new Map() }, circumstances);
    late.fail({ id: 'first', path: 'first' }, { code: 'LATE', class: 'wiring_error', message: 'Late.' });
    const request = log.request(early, late, { metadata: metadataOf(early) });
    expect(await log.commit(request, new AbortController().signal)).toBe(false);
    expect(await decisionsOf(world)).toEqual(before);
  });
});

describe('22', () => {
  test('nothing is left of a run that was erased while a step was under way, nor of its event when it comes again', async () => {
    const world = new World({ version: 1, steps: [{ kind: 'action', id: 'slow', effect: 'local' }] });
    const provider = holdUp(world);
    await world.start('event-1');
    await world.work();
    await erase(world);
    await provider.letGo();
    expect(world.calls).toHaveLength(1);
    expect(world.payloads.size).toBe(0);
    expect(await world.start('event-1')).toMatchObject([{ kind: 'known' }]);
    expect(world.payloads.size).toBe(0);
  });

  test('nothing is erased of a run that was retried, though the timer of its end had come by then', async () => {
    const world = new World({ version: 1, steps: [{ kind: 'action', id: 'call', effect: 'local' }] });
    world.script({ ...busy, transient: false });
    await world.start('event-1');
    await world.work();
    const [timer = expect.unreachable()] = world.store.timers();
    const [{ timers, store } = expect.unreachable()] = world.living;
    const fire = () => timers[timer.kind]?.(timer, { store, metadata: testMetadata });
    expect(await fire()).toMatchObject({ events: [{ type: 'RunPayloadsErased' }] });
    await world.retry(await onlyRunId(world), ['00000000-0000-4000-8000-000000000001']);
    expect(await fire()).toBeUndefined();
  });

  test('what comes of an event that is told often is kept once', async () => {
    const world = new World({ version: 1, steps });
    await world.start('event-1', 5);
    expect(world.payloads.size).toBe(1);
  });
});

/** As when a person is forgotten. */
async function erase(world: World): Promise<void> {
  const log = new RunLog(world.store);
  const loaded = await log.load(await onlyRunId(world));
  if (!loaded) throw new Error('The run is there.');
  const circumstances = { now: world.now, newRef: () => 'none', chance: () => 0 };
  const progress = new Progress(loaded.run, { trigger: null, outputs: new Map() }, circumstances);
  endRun(progress, payloadsGone, undefined);
  const { runId: run_id } = loaded.run;
  progress.add({ type: 'RunPayloadsErased', data: { run_id, why: 'request', at: progress.at } });
  const effects = { metadata: metadataOf(loaded), cancelTimers: [runTimerId(run_id)] };
  expect(await world.store.append(log.request(loaded, progress, effects))).toMatchObject({
    kind: 'appended',
  });
  world.payloads.clear();
}
