import { expect, test } from 'vitest';
import { branch, codeOf, faultsOf, flow, map, when } from './definition.fixture.ts';

test.each<[string, unknown, string, RegExp]>([
  [
    'a step that comes later',
    flow(map('a', { x: '{{steps.b.output}}' }), map('b')),
    'flow.steps.0.input',
    /before/,
  ],
  [
    'a step that does not exist',
    flow(map('a', { x: "{{steps.z.output | default: ''}}" })),
    'flow.steps.0.input',
    /before/,
  ],
  [
    'a delay',
    flow({ id: 'wait', type: 'delay', for: 'PT1H' }, map('a', { x: "{{steps.wait.output | default: ''}}" })),
    'flow.steps.1.input',
    /has no output/,
  ],
  [
    'a stop',
    flow(
      branch([{ id: 'x', when, steps: [{ id: 'end', type: 'stop' }] }]),
      map('a', { x: '{{steps.end.output}}' }),
    ),
    'flow.steps.1.input',
    /has no output/,
  ],
  ['itself', flow(map('a', { x: '{{steps.a.output}}' })), 'flow.steps.0.input', /before/],
  [
    'a step of one branch, without a default',
    flow(branch([{ id: 'x', when, steps: [map('in')] }]), map('c', { x: '{{steps.in.output.a}}' })),
    'flow.steps.1.input',
    /give it a default/,
  ],
  [
    'a step of the other branch',
    flow(
      branch(
        [{ id: 'x', when, steps: [map('in')] }],
        [map('c', { x: '{{steps.in.output.a | default: 1}}' })],
      ),
    ),
    'flow.steps.0.else.0.input',
    /before/,
  ],
  [
    'a condition on a later step',
    flow(branch([{ id: 'x', when: { op: 'is_true', left: '{{steps.z.output}}' }, steps: [] }]), map('z')),
    'flow.steps.0.branches.0.when',
    /before/,
  ],
  [
    'a filter on a step',
    {
      trigger: { type: 'lead.created', filter: { op: 'exists', left: '{{steps.a.output}}' } },
      steps: [map('a')],
    },
    'flow.trigger.filter',
    /before the run/,
  ],
  [
    'a variable that does not exist',
    { ...flow(map('a', { x: '{{vars.team.mail}}' })), vars: { team: { name: 'Sales' } } },
    'flow.steps.0.input',
    /"vars.team.mail" does not exist/,
  ],
  ['a variable where there are none', flow(map('a', { x: '{{vars.x}}' })), 'flow.steps.0.input', /vars.x/],
  [
    'what a run does not have',
    flow(map('a', { x: '{{run.foo}} {{run.id}} {{run}}' })),
    'flow.steps.0.input',
    /"run.foo" does not exist; there are id, automation_id, version, started_at, chain_depth, trigger_type/,
  ],
  [
    'a filter on a variable that does not exist',
    {
      trigger: { type: 'lead.created', filter: { op: 'eq', left: '{{vars.x}}', right: 1 } },
      steps: [map('a')],
    },
    'flow.trigger.filter',
    /"vars.x" does not exist/,
  ],
])('%s cannot be referred to', (_name, definition, field, message) => {
  const faults = faultsOf(definition);
  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]?.join(' ')).toMatch(message);
});

test('a step behind branches that all run it needs no default', () => {
  const stops = {
    id: 'b',
    type: 'branch',
    branches: [{ id: 'x', when, steps: [map('in')] }],
    else: [{ id: 's', type: 'stop' }],
  };
  expect(codeOf(flow(stops, map('c', { x: '{{steps.in.output.a}}' })))).toBe('ok');
});

test('what may be missing can be asked for, and has a default: a variable as anything else', () => {
  const asked = { op: 'exists', left: '{{vars.x}}' };
  const steps = [
    { id: 'b', type: 'branch', branches: [{ id: 'x', when: asked, steps: [] }] },
    map('a', { x: "{{vars.x | default: 'there'}}", y: '{{vars.of[1].name}}', z: '{{vars.none}}' }),
  ];
  expect(codeOf({ ...flow(...steps), vars: { of: [0, { name: 'Ada' }], none: null } })).toBe('ok');
});
