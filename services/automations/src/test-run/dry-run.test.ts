import { automationDefinition } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { compileDefinition } from '../definition/compile-definition.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { JsonValue } from '../json.ts';
import { compiledDefinition, type StepSpec } from '../run/definition.fixture.ts';
import { dryRun } from './dry-run.ts';

const action = (id: string, isBroken = false): StepSpec => ({
  kind: 'action',
  id,
  effect: 'keyed',
  isBroken,
});
const branch = (takes: 0 | 1 | 2, ...inner: readonly StepSpec[]): StepSpec => ({
  kind: 'branch',
  id: 'b',
  takes,
  steps: inner,
  otherwise: [action('other')],
});

/** Paths with what went wrong; nothing of it is ever carried out. */
function told(...steps: readonly StepSpec[]) {
  const never = async () => expect.unreachable();
  const definition = compiledDefinition(7, { version: 1, steps }, never);
  return [...dryRun(definition, { a: 1 }, '2026-11-21T10:00:00.000Z')].map(({ path, error }) => [
    path,
    error,
  ]);
}

test('actions are stood in for, delays do not wait, and a later step sees what earlier actions gave', () => {
  const steps: readonly StepSpec[] = [action('a'), { kind: 'delay', id: 'wait', for: 'PT1H' }, action('c')];
  const definition = compiledDefinition(7, { version: 1, steps }, async () => expect.unreachable());
  expect([...dryRun(definition, { a: 1 }, '2026-11-21T10:00:00.000Z')]).toMatchObject([
    { path: 'a', output: { dry: true }, error: null },
    { path: 'wait', input: { for: 'PT1H' }, output: null, error: null },
    { path: 'c', input: { trigger: { a: 1 }, seen: ['a'] }, error: null },
  ]);
});

test('the branch that holds is taken, or the other way where none does', () => {
  expect(told(branch(0, action('inner')), action('after'))).toEqual([
    ['b', null],
    ['b/yes/inner', null],
    ['after', null],
  ]);
  expect(told(branch(1, action('inner')))).toEqual([
    ['b', null],
    ['b/else/other', null],
  ]);
});

test('nothing comes after a stop, a step that fails, or a branch that cannot be decided', () => {
  expect(told({ kind: 'stop', id: 's' }, action('after'))).toEqual([['s', null]]);
  expect(told(action('a', true), action('after'))).toEqual([['a', '[MAPPING_UNRESOLVED] It is broken.']]);
  expect(told(branch(2, action('inner')), action('after'))).toEqual([['b', '[TYPE_MISMATCH] Not a number.']]);
  expect(told(branch(0, { kind: 'stop', id: 's' }), action('after'))).toEqual([
    ['b', null],
    ['b/yes/s', null],
  ]);
});

describe('a dry run ends where a run would', () => {
  const dry = (trigger: JsonValue, ...steps: readonly object[]) => {
    const withIds = steps.map((step, at) => ({ id: `step_${at}`, ...step }));
    const { compiled } = compileDefinition(
      automationDefinition.parse({ trigger: { type: 'webhook.inbound' }, steps: withIds }),
      { automationId: 7, version: 1, actions },
    );
    return [...dryRun(compiled, trigger, '2026-11-21T10:00:00.000Z')];
  };
  const map = { type: 'data.map', input: { of: '{{trigger.of}}' } };
  const tell = {
    type: 'http.request',
    input: { method: 'POST', url: 'https://example.com', json: { of: '{{trigger.of}}' } },
  };

  test('and not before: a step may look at as much as it may there, however many there are', () => {
    const of = Array.from({ length: 30_000 }, () => '');
    const steps = dry({ of }, ...Array.from({ length: 70 }, () => tell));
    expect(steps).toHaveLength(70);
    expect(steps.filter(({ error }) => error !== null)).toEqual([]);
  });

  test('which is where all that it works on is more than 10 MB', () => {
    const of = 'x'.repeat(250_000);
    const steps = dry({ of }, ...Array.from({ length: 100 }, () => map));
    expect(steps).toHaveLength(22);
    expect(steps.at(-1)).toMatchObject({ input: null, error: '[LIMIT_BYTES] A run works on at most 10 MB.' });
  });

  test('or where the input of a step is larger than it may be', () => {
    expect(dry({ of: 'ä'.repeat(140_000) }, map, map)).toMatchObject([
      { input: null, error: '[LIMIT_STEP_BYTES] The input of a step is at most 256 KB.' },
    ]);
  });

  test('or where a delay would not know when to end', () => {
    const wait = { type: 'delay', for: '{{trigger.of}}' };
    expect(dry({ of: 'PT1H' }, wait, map)).toMatchObject([{ error: null }, { error: null }]);
    expect(dry({ of: 'soon' }, wait, map)).toMatchObject([
      { input: null, error: '[DELAY_INVALID] "soon" is not an ISO 8601 duration.' },
    ]);
    expect(dry({ of: 'P400D' }, wait, map)).toMatchObject([
      { input: null, error: '[LIMIT_DELAY] A delay is at most 366 days.' },
    ]);
  });

  test('or where its delays take longer together than a run may', () => {
    const wait = { type: 'delay', for: 'P300D' };
    expect(dry({}, wait, wait, map)).toMatchObject([
      { error: null },
      { error: '[LIMIT_WALL] A run takes at most 400 days.' },
    ]);
  });

  test('and what comes after a delay sees the time at which that is over', () => {
    const tellNow = { type: 'data.map', input: { at: '{{now}}' } };
    const over = { type: 'delay', until: '2026-01-01T00:00:00Z' };
    const wait = { type: 'delay', for: 'P1D' };
    expect(dry({}, over, tellNow, wait, tellNow)).toMatchObject([
      { error: null },
      { output: { at: '2026-11-21T10:00:00.000Z' } },
      { error: null },
      { output: { at: '2026-11-22T10:00:00.000Z' } },
    ]);
  });

  test('or where the output of a delay is read, as what was saved long ago may do', () => {
    const wait = { type: 'delay', for: 'PT1H' };
    const read = (filter: string) => ({
      type: 'data.map',
      input: { of: `{{steps.step_0.output${filter}}}` },
    });
    expect(dry({}, wait, read(" | default: 'none'"))).toMatchObject([{}, { output: { of: 'none' } }]);
    const [, failed] = dry({}, wait, read(''));
    expect(failed?.error).toMatch(/^\[MAPPING_UNRESOLVED\]/);
  });

  test('and what is known of a run is known of it', () => {
    const input = { of: '{{run.automation_id}} {{run.version}} {{run.started_at}} {{run.trigger_type}}' };
    expect(dry({}, { type: 'data.map', input })).toMatchObject([
      { output: { of: '7 1 2026-11-21T10:00:00.000Z webhook.inbound' } },
    ]);
  });
});
