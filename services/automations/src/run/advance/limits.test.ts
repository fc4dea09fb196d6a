import type { RunEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { compiledDefinition, type StepSpec } from '../definition.fixture.ts';
import { run } from '../fold-run.ts';
import { Progress } from '../progress.ts';
import { judgeRetry, startRetry } from '../retry/retry.ts';
import type { Run } from '../run.ts';
import { advance } from './advance.ts';
import { settle } from './settle.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const started = given(run, ...golden<RunEvent>('RunStarted.v1'));
if (!started) throw new Error('A start makes a run.');
const startedAt = Date.parse(started.startedAt);

function progressOf(change: Partial<Run> = {}, now = startedAt, trigger: string | null = null): Progress {
  let refs = 0;
  const newRef = () => `ref-${refs++}`;
  const memory = { trigger, outputs: new Map() };
  return new Progress({ ...started, ...change } as Run, memory, { now, newRef, chance: () => 0 });
}
const definitionOf = (...steps: readonly StepSpec[]) =>
  compiledDefinition(12, { version: 3, steps }, async () => ({ ok: true, output: {} }));
const action: StepSpec = { kind: 'action', id: 'a', effect: 'pure' };
const failures = ({ events }: Progress) =>
  events.flatMap((event) => (event.type === 'RunFailed' ? [event.data.code] : []));

describe('a run', () => {
  test.each<[string, Partial<Run>, string]>([
    ['has a thousand events', { events: 1_000 }, 'LIMIT_EVENTS'],
    ['works on 10 MB', { payloadBytes: 10 * 1024 * 1024 }, 'LIMIT_BYTES'],
    ['works for 15 minutes', { workMs: 15 * minute }, 'LIMIT_ACTIVE_TIME'],
  ])('that %s fails before its next step, and one short of it goes on', (_, reached, code) => {
    const progress = progressOf(reached);
    expect(advance(progress, definitionOf(action))).toBeUndefined();
    expect(failures(progress)).toEqual([code]);
    const short = Object.fromEntries(Object.entries(reached).map(([name, most]) => [name, Number(most) - 1]));
    expect(advance(progressOf(short), definitionOf(action))).toMatchObject({ step: { id: 'a' } });
  });

  test('that is at its end has no next step to fail', () => {
    const progress = progressOf({ events: 1_000 });
    advance(progress, definitionOf());
    expect(progress.events).toMatchObject([{ type: 'RunSucceeded' }]);
  });
});

describe('a retry', () => {
  const definition = definitionOf(action);
  const failedAt = (change: Partial<Run>) => {
    const progress = progressOf(change);
    progress.fail({ id: 'a', path: 'a' }, { code: 'HTTP_500', class: 'wiring_error', message: 'No.' });
    return progress;
  };
  const facts = { now: startedAt, pinned: definition, newest: undefined, isUnderWay: false };

  test('goes on in a repaired version, unless that has another trigger', () => {
    const newest = { ...definition, version: 4 };
    const { trigger } = definition;
    const ofLeads = { ...trigger, definition: { type: 'lead.created' } } as typeof trigger;
    const { run: state } = failedAt({});
    expect(judgeRetry(state, { ...facts, newest })).toMatchObject({ definition: { version: 4 } });
    const judgement = judgeRetry(state, { ...facts, newest: { ...newest, trigger: ofLeads } });
    expect(judgement).toMatchObject({ definition: { version: definition.version } });
  });

  test.each<[keyof Run, number]>([
    ['events', 1_000],
    ['payloadBytes', 10 * 1024 * 1024],
    ['workMs', 15 * minute],
  ])('is possible as long as it gets to the failed step: %s', (name, most) => {
    const kinds = new Set<string>();
    for (let short = 0; short < 8; short += 1) {
      const failed = failedAt({ [name]: most - short });
      const { kind } = judgeRetry(failed.run, facts);
      kinds.add(kind);
      startRetry(failed, 'a', definition, null);
      expect(kind).toBe(advance(failed, definition) ? 'possible' : 'no_op');
    }
    expect([...kinds]).toEqual(['no_op', 'possible']);
  });
});

describe('a delay', () => {
  const wait = (length: string): StepSpec => ({ kind: 'delay', id: 'wait', for: length });

  test('is at most 366 days, and a run takes at most 400', () => {
    const long = progressOf();
    advance(long, definitionOf(wait('P367D')));
    expect(failures(long)).toEqual(['LIMIT_DELAY']);
    const late = progressOf({}, startedAt + 300 * day);
    advance(late, definitionOf(wait('P101D')));
    expect(failures(late)).toEqual(['LIMIT_WALL']);
    const allowed = progressOf({}, startedAt + 300 * day);
    advance(allowed, definitionOf(wait('P99D')));
    expect(allowed.run.phase).toBe('paused');
  });

  test('of a year may end when its window opens after that', () => {
    const window = { days: [1], from: '09:00', to: '18:00' };
    const waiting = (length: string) => {
      const [step] = definitionOf(wait(length)).steps;
      if (step?.kind !== 'delay') throw new Error('This is a delay.');
      const progress = progressOf();
      advance(progress, { ...definitionOf(), steps: [{ ...step, window }] });
      return progress;
    };
    const { run: moved } = waiting('P366D');
    expect(moved.phase).toBe('paused');
    expect(Date.parse(moved.pause?.until ?? '') - startedAt).toBeGreaterThan(366 * day);
    expect(failures(waiting('P367D'))).toEqual(['LIMIT_DELAY']);
  });

  test('of a year, or of 366 days, may have a day of 25 hours', () => {
    const noon = '2027-11-06T16:00:00.000Z';
    for (const length of ['P1Y', 'P366D']) {
      const progress = progressOf({ startedAt: noon }, Date.parse(noon));
      advance(progress, { ...definitionOf(wait(length)), timezone: 'America/New_York' });
      expect(progress.run.pause?.until).toBe('2028-11-06T17:00:00.000Z');
    }
  });

  test('that is no time, or cannot be worked out, fails its run', () => {
    const nonsense = progressOf();
    advance(nonsense, definitionOf(wait('soon')));
    expect(failures(nonsense)).toHaveLength(1);
    const [step] = definitionOf(wait('PT1H')).steps;
    if (step?.kind !== 'delay') throw new Error('This is a delay.');
    const fault = { ok: false, code: 'MAPPING_UNRESOLVED', class: 'wiring_error', message: 'Gone.' } as const;
    const unresolved = progressOf();
    advance(unresolved, { ...definitionOf(), steps: [{ ...step, resolve: () => fault }] });
    expect(failures(unresolved)).toEqual(['MAPPING_UNRESOLVED']);
  });

  test('that is over already is not waited for', () => {
    const progress = progressOf();
    advance(progress, definitionOf(wait('PT0S'), action));
    expect(progress.events.map(({ type }) => type)).toEqual(['StepStarted', 'StepSucceeded', 'StepStarted']);
  });
});

describe('a step', () => {
  const large = 'x'.repeat(256 * 1024);

  test('takes no input and gives no output of more than 256 KB', () => {
    const tooMuch = progressOf({}, startedAt, large);
    expect(advance(tooMuch, definitionOf(action))).toBeUndefined();
    expect(failures(tooMuch)).toEqual(['LIMIT_STEP_BYTES']);
    const progress = progressOf();
    const work = advance(progress, definitionOf(action));
    if (!work) throw new Error('There is work.');
    settle(progress, work.step, { ok: true, output: large }, 5);
    expect(progress.events.at(-2)).toMatchObject({
      type: 'StepFailed',
      data: { code: 'LIMIT_STEP_BYTES', definite: false },
    });
  });
});
