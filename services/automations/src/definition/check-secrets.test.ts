import { expect, test } from 'vitest';
import { faultsOf, map } from './definition.fixture.ts';

/** What is wrong with a definition whose steps end with a request to `url`. */
const faultsOfRequest = (url: string, { connection = 'crm', before = [] as object[] } = {}) =>
  faultsOf({
    trigger: { type: 'webhook.inbound' },
    vars: { base: 'https://example.com', scheme: 'https', name: 'x' },
    connections: { crm: { kind: 'http_bearer', id: 7 } },
    steps: [
      ...before,
      { id: 'ask', type: 'http.request', ...(connection && { connection }), input: { method: 'GET', url } },
    ],
  });
const told = /must say itself where the secret/;

test.each([
  '{{trigger.body.url}}',
  'https://{{ trigger.body.shop }}.example.com/notes',
  'https://example.com{{trigger.body.path}}',
  'http{{trigger.body.rest}}',
  // A blank is passed over where URLs are read, and any slashes are as good as two.
  ' https://{{trigger.body.host}}/notes',
  'https:/{{trigger.body.host}}/notes',
  'https:///{{trigger.body.host}}/notes',
  'https:\\\\{{trigger.body.host}}/notes',
  '{{vars.scheme}}://{{trigger.body.host}}/notes',
  "{{vars.base}}{{trigger.body.path | default: '/'}}",
])('a secret does not go where its trigger says: %s', (url) => {
  expect(faultsOfRequest(url)).toEqual({ 'flow.steps.0.input.url': [expect.stringMatching(told)] });
  expect(faultsOfRequest(url, { connection: '' })).toEqual({});
});

test.each([
  'https://example.com/{{trigger.body.id | url_encode}}?at={{trigger.body.at}}',
  '{{vars.base}}/notes/{{trigger.body.id}}',
  'https://{{vars.name}}.example.com',
])('what its trigger says may stand in the path: %s', (url) => {
  expect(faultsOfRequest(url)).toEqual({});
});

const mapped = map('mapped', {
  host: '{{trigger.body.host}}',
  of: { host: '{{trigger.body.host}}' },
  own: '{{vars.name}}',
});
const again = map('again', { host: '{{steps.mapped.output.host}}', own: '{{steps.mapped.output.own}}' });

test.each([
  'https://{{steps.mapped.output.host}}/',
  'https://{{steps.mapped.output.of.host}}/',
  'https://{{steps.mapped.output}}/',
  'https://{{steps.again.output.host}}/',
])('nor where steps say that map what it says: %s', (url) => {
  expect(faultsOfRequest(url, { before: [mapped, again] })).toEqual({
    'flow.steps.2.input.url': [expect.stringMatching(told)],
  });
});

test.each([
  'https://{{steps.mapped.output.own}}.example.com/',
  'https://{{steps.again.output.own}}.example.com/',
])('what steps map of the definition’s own may be its host: %s', (url) => {
  expect(faultsOfRequest(url, { before: [mapped, again] })).toEqual({});
});
