import { expect, test } from 'vitest';
import { freshApi, gatewayUrls } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { createAutomation, mapFlow } from '../support/automations.ts';

const taken = { headers: {}, raw: '{"a":1}' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const connection = { kind: 'hmac_sha256', name: 'Shop', secret: 'a secret' };
const signed = { trigger: { type: 'webhook.inbound', signature: { connection: 'shop', header: 'x-sign' } } };

test('what the webhook of an automation answers is what /openapi.json says of it', async () => {
  const api = await freshApi();
  const document = Object((await createApi(gatewayUrls()[0] ?? '').get('/openapi.json')).body);
  const { post } = document.paths['/hooks/automations/{token}'];
  const made = Object((await api.post('/api/user/automate/connections', connection)).body);
  const connections = { shop: { kind: 'hmac_sha256', id: made.data.id } };
  const { webhook_url: open } = await createAutomation(api, mapFlow());
  const { webhook_url: wantsSignature } = await createAutomation(api, {
    ...mapFlow(),
    ...signed,
    connections,
  });
  const requests = [
    [200, open, taken],
    [200, open, { headers: form, raw: 'a=1' }],
    [200, open, { headers: { 'content-type': 'text/plain' }, raw: 'a' }],
    [400, open, { ...taken, raw: '{' }],
    [401, wantsSignature, taken],
    [404, `${open}x`, taken],
    [413, open, { ...taken, raw: JSON.stringify('a'.repeat(700_000)) }],
    [415, open, { ...taken, headers: { 'content-encoding': 'zstd' } }],
    [422, open, { ...taken, raw: '['.repeat(100) + ']'.repeat(100) }],
  ] as const;
  for (const [status, url, options] of requests) {
    const answer = await createApi(url ?? '').call('POST', '', options);
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    const { content, headers } = post.responses[status];
    const { $ref, ...inline } = content['application/json'].schema;
    const schema = $ref ? document.components.schemas[$ref.split('/').at(-1)] : inline;
    const fields = Object.keys(Object(answer.body));
    expect(fields).toEqual(expect.arrayContaining(schema.required));
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(fields));
    const told = Object.keys(answer.headers).filter((name) => /^(x-request-id|accept|retry)/.test(name));
    expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(told);
  }
});
