import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { assistantBody, createAssistant, getAssistant } from '../support/assistants.ts';

const url = 'https://example.com/hook';
const path = (name: string) => `/api/user/assistants/${name}`;

test('the webhook after calls is turned on, off with its URL forgotten, and on again with a new one', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api, { include_recording_in_webhook: true });
  const enabled = await api.post(path('enable-webhook'), { assistant_id: id, webhook_url: url });
  expect([enabled.status, enabled.body]).toEqual([
    200,
    { message: 'Webhook enabled successfully', data: [] },
  ]);
  expect(await getAssistant(other, id)).toMatchObject({ is_webhook_active: true, webhook_url: url });
  const disabled = await api.post(path('disable-webhook'), { assistant_id: id });
  expect([disabled.status, disabled.body]).toEqual([
    200,
    { message: 'Webhook disabled successfully', data: [] },
  ]);
  expect(await getAssistant(other, id)).toMatchObject({
    is_webhook_active: false,
    webhook_url: null,
    include_recording_in_webhook: true,
  });
  expect((await api.put(`/api/user/assistant/${id}`, { is_webhook_active: true })).body).toMatchObject({
    errors: { webhook_url: [expect.any(String)] },
  });
  expect((await api.post(path('enable-webhook'), { assistant_id: id, webhook_url: `${url}2` })).status).toBe(
    200,
  );
  expect(await getAssistant(other, id)).toMatchObject({ is_webhook_active: true, webhook_url: `${url}2` });
});

test('the webhook for inbound calls is turned on and off', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api, { type: 'inbound' });
  expect(
    await api.post(path('enable-inbound-webhook'), { assistant_id: id, webhook_url: url }),
  ).toMatchObject({
    status: 200,
    body: { message: 'Inbound webhook enabled successfully', data: [] },
  });
  expect(await getAssistant(other, id)).toMatchObject({ inbound_webhook_url: url, webhook_url: null });
  expect(await api.post(path('disable-inbound-webhook'), { assistant_id: id })).toMatchObject({
    status: 200,
    body: { message: 'Inbound webhook disabled successfully', data: [] },
  });
  expect(await getAssistant(other, id)).toMatchObject({ inbound_webhook_url: null });
});

test('doing it twice is answered alike and recorded once', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  const body = { assistant_id: id, webhook_url: url };
  const first = await api.post(path('enable-webhook'), body);
  expect((await api.post(path('enable-webhook'), body)).text).toBe(first.text);
  expect((await other.get(`/api/user/assistant/${id}`)).headers.etag).toBe('"2"');
  for (const name of ['disable-inbound-webhook', 'disable-inbound-webhook'])
    expect((await api.post(path(name), { assistant_id: id })).status).toBe(200);
  expect((await other.get(`/api/user/assistant/${id}`)).headers.etag).toBe('"2"');
});

test.each(['enable-webhook', 'enable-inbound-webhook'])(
  '%s names the fields that are missing',
  async (name) => {
    const [api] = accountApis(await freshAccount());
    const { status, body } = await api.post(path(name), {});
    expect([status, body]).toEqual([
      422,
      {
        message: 'The given data was invalid.',
        errors: {
          assistant_id: ['The assistant id field is required.'],
          webhook_url: ['The webhook url field is required.'],
        },
      },
    ]);
  },
);

test.each(['disable-webhook', 'disable-inbound-webhook'])(
  '%s names the assistant that is missing',
  async (name) => {
    const [api] = accountApis(await freshAccount());
    expect(await api.post(path(name), {})).toMatchObject({
      status: 422,
      body: { errors: { assistant_id: ['The assistant id field is required.'] } },
    });
  },
);

const refused: [string, unknown][] = [
  ['no URL', 'hook'],
  ['without a scheme', 'example.com/hook'],
  ['with another scheme', 'ftp://example.com'],
  ['a script', 'javascript:alert(1)'],
  ['a file', 'file:///etc/passwd'],
  ['with a user name', 'https://user@example.com/'],
  ['with a password', 'https://user:secret@example.com/'],
  ['with a line break', 'https://example.com/\r\nX-Evil: 1'],
  ['with a tab', 'https://example.com/\t'],
  ['with a blank', 'https://example.com/a b'],
  ['with NUL', 'https://example.com/\u0000'],
  ['a private address', 'http://10.0.0.1/'],
  ['a private address in octal', 'http://0300.0250.1.1/'],
  ['a private address as a number', 'http://3232235777/'],
  ['a link-local address', 'http://169.254.169.254/latest/meta-data'],
  ['an IPv6 private address', 'http://[fd00::1]/'],
  ['an IPv4-mapped address', 'http://[::ffff:10.0.0.1]/'],
  ['a port that is not for the web', 'https://example.com:22/'],
  ['longer than 2,048 characters', `https://example.com/${'x'.repeat(2048)}`],
  ['empty', ''],
  ['null', null],
  ['a number', 1],
  ['a list', []],
];

test.each(refused)('a URL that is %s is refused wherever one is set', async (_, webhook_url) => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  for (const name of ['enable-webhook', 'enable-inbound-webhook']) {
    const { status, body } = await api.post(path(name), { assistant_id: id, webhook_url });
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, ['webhook_url']]);
  }
  if (webhook_url === null) return;
  for (const field of ['webhook_url', 'inbound_webhook_url']) {
    const created = await api.post('/api/user/assistant', assistantBody({ [field]: webhook_url }));
    const changed = await api.put(`/api/user/assistant/${id}`, { [field]: webhook_url });
    for (const { status, body } of [created, changed])
      expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, [field]]);
  }
  expect((await api.get(`/api/user/assistant/${id}`)).headers.etag).toBe('"1"');
});

test.each([
  'http://example.com',
  'https://example.com:8443/a/b?c=d&e=%20#f',
  'https://münchen.example/ü',
  'https://8.8.8.8/hook',
  'http://127.0.0.1:4010/hook',
  'http://localhost:4010/hook',
])('%s is kept as it was sent', async (webhook_url) => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  expect((await api.post(path('enable-webhook'), { assistant_id: id, webhook_url })).status).toBe(200);
  expect(await getAssistant(other, id)).toMatchObject({ webhook_url });
});

test('a URL may be kept for later while the webhook is off', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api, { webhook_url: url });
  expect(await getAssistant(other, id)).toMatchObject({ is_webhook_active: false, webhook_url: url });
  await api.put(`/api/user/assistant/${id}`, { is_webhook_active: true });
  expect(await getAssistant(other, id)).toMatchObject({ is_webhook_active: true, webhook_url: url });
  await api.put(`/api/user/assistant/${id}`, { is_webhook_active: false });
  expect(await getAssistant(other, id)).toMatchObject({ is_webhook_active: false, webhook_url: url });
});
