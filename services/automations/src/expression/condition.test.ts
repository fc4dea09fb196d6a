import {
  type AutomationCondition,
  automationCondition,
  binaryOperators,
  unaryOperators,
} from '@parley/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../definition/compiled.ts';
import type { JsonValue } from '../json.ts';
import { compileCondition } from './condition.ts';
import { Effort } from './effort.ts';

const scope: Omit<Scope, 'effort'> = {
  trigger: {
    phone: '+49151',
    status: 'no_answer',
    n: 5,
    order: '12345678901234567890',
    list: ['a', 'B'],
    t: true,
    empty: '',
    at: '2026-11-21T10:00:00Z',
  },
  steps: {},
  vars: {},
  run: {},
  now: '2026-11-21T10:00:00.000Z',
};
const compiled = (
  source: AutomationCondition,
  timezone = 'UTC',
  onFault = (_at: string, message: string): void => expect.fail(message),
) => compileCondition(source, { timezone, at: 'when', onFault });
const holds = (source: AutomationCondition, within = scope) =>
  compiled(source).holds({ ...within, effort: new Effort() });
const yes = { ok: true, value: true };
const no = { ok: true, value: false };

describe('a comparison', () => {
  test.each<[string, JsonValue, JsonValue, boolean]>([
    ['eq', '{{trigger.status}}', 'no_answer', true],
    ['eq', '{{trigger.n}}', '5', true],
    ['eq', '{{trigger.list}}', ['a', 'B'], true],
    ['eq', '{{trigger.order}}', '12345678901234567891', false],
    ['gt', '{{trigger.order}}', 1000, true],
    ['eq', null, '', false],
    ['ne', '{{trigger.status}}', 'busy', true],
    ['starts_with', '{{trigger.phone}}', '+49', true],
    ['not_starts_with', '{{trigger.phone}}', '+49', false],
    ['ends_with', '{{trigger.phone}}', '51', true],
    ['not_ends_with', '{{trigger.phone}}', '51', false],
    ['contains', '{{trigger.list}}', 'B', true],
    ['contains', '{{trigger.status}}', '_', true],
    ['not_contains', '{{trigger.list}}', 'c', true],
    ['in', '{{trigger.status}}', ['busy', 'no_answer'], true],
    ['not_in', '{{trigger.status}}', ['busy'], true],
    ['gt', '{{trigger.n}}', 4, true],
    ['gte', '{{trigger.n}}', '5', true],
    ['lt', '{{trigger.n}}', 5, false],
    ['lte', '{{trigger.n}}', 5, true],
    ['before', '{{trigger.at}}', '2026-11-21T12:00:00+01:00', true],
    ['after', '{{trigger.at}}', '2026-11-20', true],
  ])('%s of %j and %j', (op, left, right, value) =>
    expect(holds(automationCondition.parse({ op, left, right }))).toEqual({ ok: true, value }),
  );

  test('ignores case where it is told to', () => {
    expect(holds({ op: 'eq', left: 'ADA', right: 'ada' })).toEqual(no);
    expect(holds({ op: 'eq', left: 'ADA', right: 'ada', ignore_case: true })).toEqual(yes);
    expect(holds({ op: 'contains', left: '{{trigger.list}}', right: 'b', ignore_case: true })).toEqual(yes);
  });

  test.each([
    ['gt', '{{trigger.status}}', 1],
    ['before', '{{trigger.status}}', '2026-11-21'],
    ['starts_with', '{{trigger.list}}', 'a'],
  ])('%s of values it makes no sense of is a wiring error', (op, left, right) =>
    expect(holds(automationCondition.parse({ op, left, right }))).toMatchObject({
      ok: false,
      code: 'TYPE_MISMATCH',
      class: 'wiring_error',
    }),
  );
});

test('times without an offset are compared as those of the time zone', () => {
  const isBefore = (left: string, right: string) =>
    compiled({ op: 'before', left, right }, 'America/New_York').holds({ ...scope, effort: new Effort() });
  expect(isBefore('2026-11-21T09:59Z', '2026-11-21 05:00')).toEqual(yes);
  expect(isBefore('2026-11-21T10:01Z', '2026-11-21 05:00')).toEqual(no);
  expect(isBefore('2026-11-21T04:59Z', '2026-11-21')).toEqual(yes);
  expect(isBefore('2026-11-21T05:01Z', '2026-11-21')).toEqual(no);
});

test.each([
  ['exists', '{{trigger.n}}', true],
  ['exists', '{{trigger.missing}}', false],
  ['not_exists', '{{trigger.missing.deeper}}', true],
  ['is_empty', '{{trigger.empty}}', true],
  ['is_empty', '{{trigger.missing}}', true],
  ['is_not_empty', '{{trigger.list}}', true],
  ['is_true', '{{trigger.t}}', true],
  ['is_false', '{{trigger.t}}', false],
])('%s of %s is %j', (op, left, value) =>
  expect(holds(automationCondition.parse({ op, left }))).toEqual({ ok: true, value }),
);

test('all, any and not stop at what decides', () => {
  const fails: AutomationCondition = { op: 'gt', left: '{{trigger.missing}}', right: 1 };
  const [right, wrong]: AutomationCondition[] = [
    { op: 'eq', left: 1, right: 1 },
    { op: 'eq', left: 1, right: 2 },
  ] as [AutomationCondition, AutomationCondition];
  expect(holds({ all: [right, right] as AutomationCondition[] })).toEqual(yes);
  expect(holds({ all: [wrong, fails] as AutomationCondition[] })).toEqual(no);
  expect(holds({ any: [right, fails] as AutomationCondition[] })).toEqual(yes);
  expect(holds({ any: [wrong, fails] as AutomationCondition[] })).toMatchObject({
    code: 'MAPPING_UNRESOLVED',
  });
  expect(holds({ not: wrong as AutomationCondition })).toEqual(yes);
});

test('asking whether something exists needs no default; comparing it does', () => {
  const references = (source: AutomationCondition) =>
    compiled(source).references.map(({ hasDefault }) => hasDefault);
  expect(references({ op: 'exists', left: '{{trigger.x}}' })).toEqual([true]);
  expect(references({ op: 'eq', left: '{{trigger.x}}', right: "{{trigger.y | default: ''}}" })).toEqual([
    false,
    true,
  ]);
});

test('whatever the condition and the data, it is decided or a wiring error, the same each time', () => {
  const operand = fc.oneof(
    fc.constantFrom('{{trigger}}', '{{trigger.a}}', '{{vars}}', '{{trigger.b | default: 0}}'),
    fc.jsonValue({ maxDepth: 2 }).filter((of) => !JSON.stringify(of).includes('{{')),
  ) as fc.Arbitrary<JsonValue>;
  const condition = fc.letrec<{ of: unknown }>((tie) => ({
    of: fc.oneof(
      { maxDepth: 3 },
      fc.record({ op: fc.constantFrom(...binaryOperators), left: operand, right: operand }),
      fc.record({ op: fc.constantFrom(...unaryOperators), left: operand }),
      fc.record({ all: fc.array(tie('of'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('of'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('of') }),
    ),
  })).of;
  const data = fc.record({ a: fc.jsonValue(), b: fc.jsonValue() }) as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(condition, data, (source, trigger) => {
      // What was saved before anybody told of constants that an operator makes no sense of is decided as well.
      const { holds: decide } = compiled(automationCondition.parse(source), 'UTC', () => undefined);
      const within = () => ({ ...scope, trigger, effort: new Effort() });
      const held = decide(within());
      expect(decide(within())).toEqual(held);
      if (!held.ok) expect(held.class).toBe('wiring_error');
    }),
    { numRuns: 2_000 },
  );
});

test('a comparison with what is not there is a wiring error, on either side', () => {
  expect(holds({ op: 'eq', left: 1, right: '{{trigger.missing}}' })).toMatchObject({
    code: 'MAPPING_UNRESOLVED',
  });
  expect(holds({ op: 'is_true', left: '{{trigger.missing}}' })).toMatchObject({ code: 'MAPPING_UNRESOLVED' });
  expect(holds({ op: 'is_empty', left: '{{trigger.list | number}}' })).toMatchObject({
    code: 'TYPE_MISMATCH',
  });
});

describe('a condition takes no long time', () => {
  const wide = {
    ...scope,
    trigger: { of: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, 'x'])) },
  };
  const text = { ...scope, trigger: { of: 'x'.repeat(250_000) } };
  const often = (condition: AutomationCondition): AutomationCondition => ({
    any: Array.from({ length: 50 }, () => ({ any: Array.from({ length: 50 }, () => condition) })),
  });

  test.each<[string, AutomationCondition, typeof scope]>([
    ['written out', { op: 'eq', left: '{{trigger.of | json | length}}', right: 1 }, wide],
    ['compared', { op: 'eq', left: '{{trigger.of}}', right: 1 }, wide],
    ['changed', { op: 'eq', left: '{{trigger.of | upper | lower | length}}', right: 1 }, text],
    ['told of', { op: 'not_exists', left: 'x{{trigger.of}}' }, text],
  ])('when a large event is %s thousands of times', (_, condition, within) => {
    expect(holds(condition, within)).toMatchObject({ ok: true, value: false });
    expect(holds(often(condition), within)).toMatchObject({ code: 'LIMIT_EFFORT', class: 'wiring_error' });
  });

  test('and what is meant seriously is worked out: hundreds of words sought in the longest text', () => {
    const words = (from: number): AutomationCondition => ({
      any: Array.from({ length: 50 }, (_, at) => ({
        op: 'contains',
        left: '{{trigger.of | lower}}',
        right: `word ${from + at}`,
      })),
    });
    expect(holds({ any: [words(0), words(50), words(100), words(150)] }, text)).toEqual(no);
  });

  test('when each of many values is compared with a large one', () => {
    const part = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`k${at}`, 1]));
    const list = Array.from({ length: 10_000 }, () => ({}));
    const has = { op: 'contains', left: '{{trigger.list}}', right: '{{trigger.part}}' } as const;
    expect(holds(has, { ...scope, trigger: { list, part } })).toEqual(no);
    expect(holds(has, { ...scope, trigger: { list: [...list, part], part } })).toEqual(yes);
  });
});
