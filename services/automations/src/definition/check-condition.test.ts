import { expect, test } from 'vitest';
import { branch, faultsOf, flow, map, when } from './definition.fixture.ts';

test.each<[string, unknown, string, RegExp]>([
  [
    'a filter by a date that is none',
    {
      trigger: { type: 'lead.created', filter: { op: 'before', left: '{{now}}', right: '31.12.2026' } },
      steps: [map('a')],
    },
    'flow.trigger.filter.right',
    /The operator before compares ISO 8601 dates/,
  ],
  [
    'a condition by a number that is none',
    flow(
      branch([
        { id: 'x', when: { all: [{ op: 'gt', left: '{{trigger.x}}', right: '1,5' }] }, steps: [map('a')] },
      ]),
    ),
    'flow.steps.0.branches.0.when.all.0.right',
    /The operator gt compares numbers/,
  ],
])('%s is told of', (_name, definition, field, message) => {
  const faults = faultsOf(definition);
  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]?.join(' ')).toMatch(message);
});

test.each<[string, unknown, Record<string, RegExp>]>([
  ['an unknown operator', { op: 'gtt', left: 1, right: 2 }, { '.op': /no such operator; .* eq, .*is_false/ }],
  ['nothing to compare with', { op: 'eq', left: 1 }, { '.right': /eq needs a right/ }],
  ['nothing to ask about', { op: 'exists' }, { '.left': /exists needs a left/ }],
  ['two operands of one', { op: 'exists', left: 1, right: 2 }, { '': /unknown fields: right/ }],
  [
    'a case that is no yes or no',
    { op: 'eq', left: 1, right: 1, ignore_case: 'x' },
    { '.ignore_case': /true/ },
  ],
  ['no kind of condition', { left: 1 }, { '': /must be one of/ }],
  ['two kinds of condition', { all: [when], any: [when] }, { '': /must be one of/ }],
  ['no object', [when], { '': /must be one of/ }],
  ['nothing', null, { '': /must be one of/ }],
  ['an empty list', { any: [] }, { '.any': /1 to 50/ }],
  ['too long a list', { all: Array(51).fill(when) }, { '.all': /1 to 50/ }],
  ['no list', { all: when }, { '.all': /1 to 50/ }],
  [
    'several, each in its place',
    { all: [when, { not: { op: 'in', left: 1, right: [], x: 1 } }, { op: 7 }], y: 1 },
    { '': /unknown fields: y/, '.all.1.not': /unknown fields: x/, '.all.2.op': /no such operator/ },
  ],
])('a condition with %s', (_name, condition, expected) => {
  const at = 'flow.steps.0.branches.0.when';
  for (const [place, definition] of [
    ['flow.trigger.filter', { ...flow(map('a')), trigger: { type: 'lead.created', filter: condition } }],
    [at, flow(branch([{ id: 'x', when: condition, steps: [] }]))],
  ] as const)
    expect(faultsOf(definition)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([field, message]) => [place + field, [expect.stringMatching(message)]]),
      ),
    );
});
