import { describe, expect, test } from 'vitest';
import { checkDefinition } from './check-definition.ts';
import { actions, followUp } from './definition.fixture.ts';

const map = (id: string, input: object = { a: 1 }) => ({ id, type: 'data.map', input });
const flow = (...steps: object[]) => ({ trigger: { type: 'lead.created' }, steps });
function faultsOf(definition: unknown) {
  const checked = checkDefinition(definition, actions);
  return checked.kind === 'ok' ? {} : checked.rejection.fields;
}
const codeOf = (definition: unknown) => {
  const checked = checkDefinition(definition, actions);
  return checked.kind === 'ok' ? 'ok' : checked.rejection.code;
};

test('the example of the documentation is a definition', () => {
  expect(checkDefinition(followUp(), actions)).toMatchObject({ kind: 'ok', definition: { schema: 1 } });
});

test('the two parts of any definition have codes of their own', () => {
  expect(codeOf({ trigger: { type: 'lead.created' }, steps: [] })).toBe('no_steps');
  expect(codeOf({ trigger: { type: 'lead.created' } })).toBe('no_steps');
  expect(codeOf(null)).toBe('no_steps');
  expect(codeOf({ trigger: { type: 'moon.full' }, steps: [map('a')] })).toBe('unsupported_trigger');
  expect(codeOf({ steps: [map('a')] })).toBe('invalid_definition');
});

describe('every fault is told with its field', () => {
  const branch = (branches: object[], otherwise: object[] = []) => ({
    id: 'b',
    type: 'branch',
    branches,
    ...(otherwise.length > 0 && { else: otherwise }),
  });
  const when = { op: 'exists', left: '{{trigger.x}}' };

  test.each<[string, unknown, string, RegExp]>([
    ['an unknown step', flow({ id: 'a', type: 'dance' }), 'flow.steps.0.type', /There is no such step/],
    ['an id twice', flow(map('a'), map('a')), 'flow.steps.1.id', /taken/],
    ['an id with dots', flow(map('a.b')), 'flow.steps.0.id', /letter/],
    ['an unknown field', flow({ ...map('a'), colour: 'red' }), 'flow.steps.0', /unknown fields: colour/],
    [
      'an unknown field of the whole',
      { ...flow(map('a')), colour: 'red' },
      'flow',
      /^The flow field has unknown/,
    ],
    [
      'a missing input',
      flow({ id: 'a', type: 'lead.add', input: { phone_number: '{{trigger.p}}' } }),
      'flow.steps.0.input.campaign_id',
      /required/,
    ],
    [
      'an input of the wrong type',
      flow({ id: 'a', type: 'lead.add', input: { campaign_id: 'x', phone_number: '{{trigger.p}}' } }),
      'flow.steps.0.input.campaign_id',
      /integer/,
    ],
    [
      'a broken template, deep inside',
      flow(map('a', { list: [{ text: '{{trigger.x | shout}}' }] })),
      'flow.steps.0.input.list.0.text',
      /shout does not exist/,
    ],
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
      flow(
        { id: 'wait', type: 'delay', for: 'PT1H' },
        map('a', { x: "{{steps.wait.output | default: ''}}" }),
      ),
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
    ['steps behind a stop', flow({ id: 's', type: 'stop' }, map('a')), 'flow.steps.1', /never be reached/],
    [
      'two branches of one name',
      flow(
        branch([
          { id: 'x', when, steps: [] },
          { id: 'x', when, steps: [] },
        ]),
      ),
      'flow.steps.0.branches.1.id',
      /taken/,
    ],
    [
      'a connection where none belongs',
      flow({ ...map('a'), connection: 'crm' }),
      'flow.steps.0.connection',
      /takes no connection/,
    ],
    [
      'no connection where one is needed',
      flow({
        id: 'a',
        type: 'chatapp.send_template',
        input: { template_id: 1, recipient_phone: '{{trigger.p}}' },
      }),
      'flow.steps.0.connection',
      /needs a connection/,
    ],
    [
      'a window that ends before it begins',
      flow({ id: 'a', type: 'delay', for: 'PT1H', window: { days: '1-5', from: '18:00', to: '09:00' } }),
      'flow.steps.0.window.to',
      /end later/,
    ],
    [
      'a sender that is no number',
      { ...flow(map('a')), connections: { wa: { kind: 'chatapp_sender', id: 'con_1' } } },
      'flow.connections.wa.id',
      /integer id of a sender/,
    ],
    [
      'a signature by a connection that is not there',
      {
        trigger: { type: 'webhook.inbound', signature: { connection: 'sign', header: 'x-signature' } },
        steps: [map('a')],
      },
      'flow.trigger.signature.connection',
      /no connection called sign/,
    ],
    [
      'a connection where none is taken',
      { ...flow({ ...map('a'), connection: 'wa' }), connections: { wa: { kind: 'chatapp_sender', id: 1 } } },
      'flow.steps.0.connection',
      /takes no connection/,
    ],
    [
      'an input that is no object',
      flow({ id: 'a', type: 'lead.add', input: 'x' }),
      'flow.steps.0.input',
      /./,
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
    [
      'a cron of six fields',
      { trigger: { type: 'schedule', cron: '* * * * * *' }, steps: [map('a')] },
      'flow.trigger.cron',
      /five fields/,
    ],
    [
      'a cron that never comes',
      { trigger: { type: 'schedule', cron: '0 0 31 2 *' }, steps: [map('a')] },
      'flow.trigger.cron',
      /never comes/,
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
      'a variable with a template in it',
      { ...flow(map('a')), vars: { plain: '}} {', greeting: { to: ['Hello {{trigger.name}}'] } } },
      'flow.vars.greeting',
      /constant/,
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
    [
      'a time zone that does not exist',
      { ...flow(map('a')), timezone: 'Mars/Olympus' },
      'flow.timezone',
      /time zone/,
    ],
    [
      'more than 100 steps',
      flow(...Array.from({ length: 101 }, (_, n) => map(`s${n}`))),
      'flow.steps',
      /100/,
    ],
    ['more than 256 KB', flow(map('a', { x: 'x'.repeat(256 * 1024) })), 'flow', /256 KB/],
    ['another format', { ...flow(map('a')), schema: 2 }, 'flow.schema', /./],
  ])('%s', (_name, definition, field, message) => {
    const faults = faultsOf(definition);
    expect(Object.keys(faults ?? {})).toEqual([field]);
    expect(faults?.[field]?.join(' ')).toMatch(message);
  });

  test.each<[string, unknown, Record<string, RegExp>]>([
    [
      'an unknown operator',
      { op: 'gtt', left: 1, right: 2 },
      { '.op': /no such operator; .* eq, .*is_false/ },
    ],
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
          Object.entries(expected).map(([field, message]) => [
            place + field,
            [expect.stringMatching(message)],
          ]),
        ),
      );
  });

  test('several at once, all of them', () => {
    const faults = faultsOf(flow(map('a', { x: '{{foo}}' }), { id: 'b', type: 'delay', for: 'x' }));
    expect(Object.keys(faults ?? {})).toEqual(['flow.steps.0.input.x', 'flow.steps.1.for']);
  });

  test('no more than a message of the bus carries, whatever the names in it are', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x${n}`, '{{foo}}']));
    const faults = faultsOf(flow(map('a', { ['x'.repeat(200_000)]: many })));
    expect(JSON.stringify(faults).length).toBeLessThan(100_000);
    const condition = { ...when, ['x'.repeat(200_000)]: 1 };
    const shape = faultsOf({ ...flow(map('a')), trigger: { type: 'lead.created', filter: condition } });
    expect(JSON.stringify(shape).length).toBeLessThan(100_000);
  });

  test('nesting deeper than five', () => {
    const nested = (depth: number): object =>
      depth === 0
        ? map('leaf')
        : { ...branch([{ id: 'x', when, steps: [nested(depth - 1)] }]), id: `b${depth}` };
    expect(codeOf(flow(nested(5)))).toBe('ok');
    expect(faultsOf(flow(nested(6)))).toEqual({
      [`flow.steps.0${'.branches.0.steps.0'.repeat(5)}.branches.0.steps`]: [expect.stringMatching(/5 deep/)],
    });
  });
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

test('a step behind branches that all run it needs no default', () => {
  const when = { op: 'exists', left: '{{trigger.x}}' };
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
