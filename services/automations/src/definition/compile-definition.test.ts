import { type AutomationStep, automationDefinition } from '@parley/contracts';
import { expect, test } from 'vitest';
import { Effort } from '../expression/effort.ts';
import { compileDefinition } from './compile-definition.ts';
import type { Scope } from './compiled.ts';
import { actions, followUp } from './definition.fixture.ts';
import { prefixHashes } from './prefix-hashes.ts';

const compile = (flow: unknown) =>
  compileDefinition(automationDefinition.parse(flow), { automationId: 7, version: 3, actions }).compiled;
const scope: Scope = {
  trigger: { customer_phone: '+491511234567' },
  steps: {},
  vars: {},
  run: {},
  now: '2026-11-21T10:00:00Z',
  effort: new Effort(),
};

test('a definition becomes steps that resolve their own input', () => {
  const { steps, settings, timezone } = compile(followUp());
  expect([timezone, settings.retry.maxAgeMs]).toEqual(['Europe/Berlin', 30 * 86_400_000]);
  const [wait, check, crm] = steps;
  if (wait?.kind !== 'delay' || check?.kind !== 'branch' || crm?.kind !== 'action')
    return expect.unreachable();
  expect(wait.window).toEqual({ days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' });
  expect(wait.resolve(scope)).toEqual({ ok: true, value: { for: 'PT2H' } });
  const [german] = check.branches;
  expect(german?.when(scope)).toEqual({ ok: true, value: true });
  const [send] = german?.steps ?? [];
  if (send?.kind !== 'action') return expect.unreachable();
  expect([send.path, send.connection, send.attempts]).toEqual(['chk/de/send', 'wa', 4]);
  expect(send.resolve(scope)).toEqual({
    ok: true,
    value: { template_id: 9, recipient_phone: '+491511234567', variables: { '1': 'there' } },
  });
  expect(crm.resolve(scope)).toMatchObject({ ok: true, value: { json: { text: 'skipped' } } });
});

test.each([
  ['1-5', [1, 2, 3, 4, 5]],
  ['1,3,5', [1, 3, 5]],
  ['3-3', [3]],
  ['6-1', [6, 7, 1]],
  ['5-1,3', [5, 6, 7, 1, 3]],
])('the days %s of a window are %j: a range goes on over the end of the week', (days, expected) => {
  const [wait] = compile({
    trigger: { type: 'lead.created' },
    steps: [{ id: 'wait', type: 'delay', for: 'PT1H', window: { days, from: '09:00', to: '18:00' } }],
  }).steps;
  expect(wait).toMatchObject({ window: { days: expected } });
});

test('an input that its schema refuses is a wiring error, with the field', () => {
  const { steps } = compile({
    trigger: { type: 'lead.created' },
    steps: [
      { id: 'a', type: 'lead.add', input: { campaign_id: '{{trigger.c}}', phone_number: '{{trigger.p}}' } },
    ],
  });
  const [step] = steps;
  if (step?.kind !== 'action') return expect.unreachable();
  expect(step.resolve({ ...scope, trigger: { c: '12', p: '+49' } })).toMatchObject({
    value: { campaign_id: 12 },
  });
  expect(step.resolve({ ...scope, trigger: { c: 'x', p: '+49' } })).toMatchObject({
    ok: false,
    code: 'INVALID_INPUT',
    class: 'wiring_error',
    message: expect.stringContaining('campaign_id'),
  });
});

test('a filter that can make no sense of an event does not match it', () => {
  const { trigger } = compile({
    ...followUp(),
    trigger: { type: 'lead.created', filter: { op: 'gt', left: '{{trigger.n}}', right: 3 } },
  });
  expect([{ n: 4 }, { n: 2 }, { n: 'x' }, {}].map((payload) => trigger.matches(payload, scope.now))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

const step = (id: string, input: object = {}): AutomationStep => ({
  id,
  type: 'data.map',
  input: { ...input },
});
const at = (path: string, ...steps: AutomationStep[]) => prefixHashes(steps).get(path);

test('hashes of two versions agree as far as their pasts do', () => {
  const before = [step('a'), step('b'), step('c')] as const;
  expect(at('b', ...before)).toBe(at('b', step('a'), step('b', { repaired: true }), step('c'), step('d')));
  expect(at('c', ...before)).not.toBe(at('c', step('a'), step('b', { repaired: true }), step('c')));
  expect(at('c', ...before)).not.toBe(at('c', step('b'), step('c')));
  expect(at('b', { ...step('a'), name: 'A' }, step('b'))).toBe(at('b', step('a'), step('b')));
  expect(at('z', ...before)).toBeUndefined();
});

test('inside a branch it counts how the branch is reached, not what its neighbours do', () => {
  const branch = (right: string, inner: AutomationStep[], otherwise: AutomationStep[]): AutomationStep => ({
    id: 'b',
    type: 'branch',
    branches: [{ id: 'x', when: { op: 'eq', left: '{{trigger.x}}', right }, steps: inner }],
    else: otherwise,
  });
  const hash = at('b/x/i', branch('1', [step('i')], []));
  expect(hash).toBe(at('b/x/i', branch('1', [step('i')], [step('other')])));
  expect(hash).not.toBe(at('b/x/i', branch('2', [step('i')], [])));
  expect(at('b/else/o', branch('1', [], [step('o')]))).not.toBe(hash);
});

test('a delay that is worked out when the run comes there must be a text', () => {
  const delay = (end: object) => {
    const [step] = compile({
      trigger: { type: 'lead.created' },
      steps: [{ id: 'w', type: 'delay', ...end }],
    }).steps;
    if (step?.kind !== 'delay') return expect.unreachable();
    return (trigger: object) => step.resolve({ ...scope, trigger: { ...trigger } });
  };
  expect(delay({ until: '{{trigger.end}}' })({ end: '2026-12-01' })).toEqual({
    ok: true,
    value: { until: '2026-12-01' },
  });
  expect(delay({ for: '{{trigger.end}}' })({ end: 12 })).toMatchObject({ ok: false, code: 'INVALID_INPUT' });
  expect(delay({ for: '{{trigger.end}}' })({})).toMatchObject({ ok: false, code: 'MAPPING_UNRESOLVED' });
});

test.each([
  ['P30D', 30 * 86_400_000],
  ['PT0.0004S', 1],
  // As good as for ever, and still a time that can be told.
  ['P273734Y', 36_525 * 86_400_000],
  ['P999999Y', 36_525 * 86_400_000],
])('a retry after %s at most is allowed so many milliseconds', (max_age, maxAgeMs) => {
  const definition = automationDefinition.parse({ ...followUp(), settings: { retry: { max_age } } });
  const { compiled, faults } = compileDefinition(definition, { automationId: 7, version: 1, actions });
  expect([faults, compiled.settings.retry.maxAgeMs]).toEqual([[], maxAgeMs]);
});
