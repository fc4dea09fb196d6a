import { expect, test } from 'vitest';
import { checkDefinition } from './check-definition.ts';
import { actions, branch, codeOf, faultsOf, flow, followUp, map, when } from './definition.fixture.ts';

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
  ['an input that is no object', flow({ id: 'a', type: 'lead.add', input: 'x' }), 'flow.steps.0.input', /./],
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
    'a variable with a template in it',
    { ...flow(map('a')), vars: { plain: '}} {', greeting: { to: ['Hello {{trigger.name}}'] } } },
    'flow.vars.greeting',
    /constant/,
  ],
  [
    'a time zone that does not exist',
    { ...flow(map('a')), timezone: 'Mars/Olympus' },
    'flow.timezone',
    /time zone/,
  ],
  ['more than 100 steps', flow(...Array.from({ length: 101 }, (_, n) => map(`s${n}`))), 'flow.steps', /100/],
  ['more than 256 KB', flow(map('a', { x: 'x'.repeat(256 * 1024) })), 'flow', /256 KB/],
  ['another format', { ...flow(map('a')), schema: 2 }, 'flow.schema', /./],
])('%s is told of, with its field', (_name, definition, field, message) => {
  const faults = faultsOf(definition);
  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]?.join(' ')).toMatch(message);
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
