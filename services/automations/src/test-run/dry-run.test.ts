import { automationDefinition } from '@parley/contracts';
import { expect, test } from 'vitest';
import { compileDefinition } from '../definition/compile-definition.ts';
import { actions } from '../definition/definition.fixture.ts';
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

test('actions are stood in for, delays do not wait, and a later step sees what earlier ones gave', () => {
  const steps: readonly StepSpec[] = [action('a'), { kind: 'delay', id: 'wait', for: 'PT1H' }, action('c')];
  const definition = compiledDefinition(7, { version: 1, steps }, async () => expect.unreachable());
  expect([...dryRun(definition, { a: 1 }, '2026-11-21T10:00:00.000Z')]).toMatchObject([
    { path: 'a', output: { dry: true }, error: null },
    { path: 'wait', input: { for: 'PT1H' }, output: null, error: null },
    { path: 'c', input: { trigger: { a: 1 }, seen: ['a', 'wait'] }, error: null },
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

test('a step may look at as much as it may in a run, however many there are', () => {
  const steps = Array.from({ length: 70 }, (_, at) => ({
    id: `tell_${at}`,
    type: 'http.request',
    input: { method: 'POST', url: 'https://example.com', json: { of: '{{trigger.of}}' } },
  }));
  const { compiled } = compileDefinition(
    automationDefinition.parse({ schema: 1, name: 'Many', trigger: { type: 'webhook.inbound' }, steps }),
    { automationId: 7, version: 1, actions },
  );
  const of = Array.from({ length: 30_000 }, () => '');
  const dry = [...dryRun(compiled, { of }, '2026-11-21T10:00:00.000Z')];
  expect(dry).toHaveLength(70);
  expect(dry.filter(({ error }) => error !== null)).toEqual([]);
});
