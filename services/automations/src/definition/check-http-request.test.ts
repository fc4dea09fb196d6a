import { expect, test } from 'vitest';
import { checkDefinition } from './check-definition.ts';
import { actions } from './definition.fixture.ts';

const request = { method: 'GET', url: 'https://example.com' };

/** What is wrong with a definition of one request, by its field. */
function faultsOf(step: object) {
  const { connections, ...given } = { connections: {}, ...step };
  const steps = [{ id: 'a', type: 'http.request', input: request, ...given }];
  const trigger = { type: 'webhook.inbound' };
  const checked = checkDefinition({ trigger, connections, steps }, actions);
  return checked.kind === 'ok' ? {} : checked.rejection.fields;
}
const asking = (input: object) => ({ input: { ...request, ...input } });

test.each<[string, object, string, RegExp]>([
  ['an unknown alias', { connection: 'crm' }, 'connection', /no connection called crm/],
  [
    'a connection of the wrong kind',
    { connection: 'wa', connections: { wa: { kind: 'chatapp_sender', id: 1 } } },
    'connection',
    /must be http_bearer/,
  ],
  [
    'credentials in the open',
    asking({ headers: { Authorization: 'x' } }),
    'input.headers.Authorization',
    /belong into a connection/,
  ],
  [
    'credentials in the open that a template yields',
    asking({ headers: { Authorization: 'Bearer {{trigger.body.key}}' } }),
    'input.headers.Authorization',
    /belong into a connection/,
  ],
  [
    'what no header can be called',
    asking({ headers: { 'Order number': '{{trigger.body.order}}' } }),
    'input.headers.Order number',
    /invalid key/,
  ],
  ['a URL without its beginning', asking({ url: 'example.com/notes' }), 'input.url', /valid URL/],
  ['a URL not of the web', asking({ url: 'localhost:3000/notes' }), 'input.url', /must start with http/],
  [
    'a URL with a password',
    asking({ url: 'https://ada:secret@example.com/notes' }),
    'input.url',
    /must not hold a user name or password/,
  ],
  ['a URL at a port of mail', asking({ url: 'https://example.com:25/' }), 'input.url', /not for the web/],
  [
    'a URL of a private network',
    asking({ url: 'http://10.0.0.1/notes' }),
    'input.url',
    /private or reserved/,
  ],
  [
    'a header that each connection has of its own',
    asking({ headers: { Connection: 'keep-alive' } }),
    'input.headers.Connection',
    /is set by itself/,
  ],
  ['two bodies', asking({ json: 1, text: '' }), 'input.text', /absent/],
  [
    'two bodies that templates yield',
    asking({ json: { of: '{{trigger.body}}' }, text: '{{trigger.body.text}}' }),
    'input.text',
    /absent/,
  ],
])('%s is told with its field', (_name, step, field, message) => {
  const faults = faultsOf(step);
  expect(Object.keys(faults ?? {})).toEqual([`flow.steps.0.${field}`]);
  expect(faults?.[`flow.steps.0.${field}`]?.join(' ')).toMatch(message);
});
