import { expect, test } from 'vitest';
import { branch, codeOf, faultsOf, flow, map, when } from './definition.fixture.ts';

test.each<[string, unknown, string, RegExp]>([
  [
    'a window that ends before it begins',
    flow({ id: 'a', type: 'delay', for: 'PT1H', window: { days: '1-5', from: '18:00', to: '09:00' } }),
    'flow.steps.0.window.to',
    /end later/,
  ],
  ['a delay without an end', flow({ id: 'a', type: 'delay' }), 'flow.steps.0', /either for or until/],
  [
    'a delay that is too long over a 29 February',
    flow({ id: 'a', type: 'delay', for: 'P1Y1D' }),
    'flow.steps.0.for',
    /366 days, whenever it begins/,
  ],
  ['a delay of years', flow({ id: 'a', type: 'delay', for: 'P2Y' }), 'flow.steps.0.for', /366 days/],
  [
    'delays that are longer together than a run may take',
    flow({ id: 'a', type: 'delay', for: 'P1Y' }, map('b'), { id: 'c', type: 'delay', for: 'P35D' }),
    'flow.steps.2.for',
    /400 days/,
  ],
  [
    'a delay that is too long behind every branch',
    flow(
      branch(
        [{ id: 'x', when, steps: [{ id: 'a', type: 'delay', for: 'P300D' }] }],
        [{ id: 'other', type: 'delay', for: 'P100D' }],
      ),
      { id: 'c', type: 'delay', for: 'P300D' },
    ),
    'flow.steps.1.for',
    /400 days/,
  ],
  [
    'a delay that is too long within a branch',
    flow(
      { id: 'a', type: 'delay', for: 'P300D' },
      branch([{ id: 'x', when, steps: [{ id: 'other', type: 'delay', for: 'P300D' }] }]),
    ),
    'flow.steps.1.branches.0.steps.0.for',
    /400 days/,
  ],
  [
    'a delay that is none',
    flow({ id: 'a', type: 'delay', for: 'two hours' }),
    'flow.steps.0.for',
    /ISO 8601/,
  ],
  [
    'an end that is none',
    flow({ id: 'a', type: 'delay', until: 'tomorrow' }),
    'flow.steps.0.until',
    /ISO 8601/,
  ],
  [
    'an end that no run could read',
    flow({ id: 'a', type: 'delay', until: '2026-04-01T24:00' }),
    'flow.steps.0.until',
    /ISO 8601/,
  ],
])('%s is told of', (_name, definition, field, message) => {
  const faults = faultsOf(definition);
  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]?.join(' ')).toMatch(message);
});

test('delays on different ways are not taken together, nor is any counted that only a run can know', () => {
  const wait = (id: string, length: object = { for: 'P300D' }) => ({ id, type: 'delay', ...length });
  const way = { id: 'x', when: { op: 'exists', left: '{{trigger.x}}' }, steps: [wait('a')] };
  const either = { id: 'either', type: 'branch', branches: [way], else: [wait('b')] };
  const perhaps = { ...either, else: [] };
  const orEnd = { ...either, else: [{ id: 'end', type: 'stop' }] };
  expect(codeOf(flow(either, wait('c', { for: 'P99D' })))).toBe('ok');
  expect(codeOf(flow(perhaps, wait('c')))).toBe('ok');
  expect(codeOf(flow(orEnd, wait('c', { for: 'P99D' })))).toBe('ok');
  expect(faultsOf(flow(orEnd, wait('c')))).toHaveProperty(['flow.steps.1.for']);
  expect(
    codeOf(flow(wait('a'), wait('b', { for: '{{trigger.x}}' }), wait('c', { until: '2030-01-01' }))),
  ).toBe('ok');
});
