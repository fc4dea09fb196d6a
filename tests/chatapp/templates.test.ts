import { listTemplates } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { chatAccount } from '../support/chat.ts';
import { connectedSender, freshCustomerNumber, type PlatformTemplate } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { sendPath } from './sending.ts';

const pathOf = (senderId: number | string) => `/api/user/chatapp/senders/${senderId}/templates`;
const dataOf = (body: unknown) => (body as { data: { name: string }[] }).data;
const namesOf = (body: unknown) =>
  dataOf(body)
    .map(({ name }) => name)
    .sort();

const templates: readonly PlatformTemplate[] = [
  {
    name: 'order',
    language: 'pt_BR',
    body_text: 'Olá {{1}}, "{{2}}"\n\\ {{1}}!',
    variables: ['first_name', 'order'],
  },
  { name: 'named', body_text: 'Hi {{first_name}}, {{ city }} calls {{first_name}}.' },
  { name: 'plain', category: 'marketing', body_text: 'Wíllkommen 🎉' },
  { name: 'otp', category: 'authentication', body_text: '{{1}} is your code.', variables: ['code'] },
  { name: 'call', kind: 'voice_call_request', body_text: 'May we call?' },
  { name: 'waiting', status: 'pending' },
  { name: 'refused', status: 'rejected' },
];

describe('the templates of a sender', () => {
  test('are the approved ones, unless asked for others', async () => {
    const [api, otherGateway] = accountApis(await freshAccount());
    const { id } = await connectedSender(api, {}, templates);
    const list = async (query = '') => {
      const answer = await otherGateway.get(`${pathOf(id)}${query}`);
      expect(answer.status).toBe(200);
      listTemplates.success.schema.parse(answer.body);
      return namesOf(answer.body);
    };
    const approved = ['call', 'named', 'order', 'otp', 'plain'];
    expect(await list()).toEqual(approved);
    expect(await list('?status=approved')).toEqual(approved);
    expect(await list('?status=pending')).toEqual(['waiting']);
    expect(await list('?status=rejected')).toEqual(['refused']);
    expect(await list('?status=all')).toEqual([...approved, 'refused', 'waiting']);
  });

  test('show their placeholders as numbers and their variables by name', async () => {
    const [api] = accountApis(await freshAccount());
    const sender = await connectedSender(api, {}, templates);
    const { body } = await api.get(pathOf(sender.id));
    const shown = Object.fromEntries(dataOf(body).map((template) => [template.name, template]));
    const id = (name: string) => sender.templates[name]?.id;
    expect(shown.order).toEqual({
      id: id('order'),
      name: 'order',
      language: 'pt_BR',
      category: 'utility',
      status: 'approved',
      body_text: 'Olá {{1}}, "{{2}}"\n\\ {{1}}!',
      variables: ['first_name', 'order'],
      has_variables: true,
      kind: 'message',
    });
    expect(shown.named).toMatchObject({
      body_text: 'Hi {{1}}, {{2}} calls {{1}}.',
      variables: ['first_name', 'city'],
      has_variables: true,
    });
    expect(shown.plain).toMatchObject({
      category: 'marketing',
      body_text: 'Wíllkommen 🎉',
      variables: [],
      has_variables: false,
    });
    expect(shown.call).toMatchObject({ kind: 'voice_call_request', has_variables: false });
    expect(shown.otp).toMatchObject({ category: 'authentication', variables: ['code'] });
  });

  test('are sent with what their headers and buttons want, or refused before anything is', async () => {
    const { api } = await chatAccount(sharedStack());
    const url = 'https://shop.example/{{1}}';
    const sender = await connectedSender(api, {}, [
      ...templates,
      {
        name: 'track',
        body_text: 'On its way, {{1}}.',
        variables: ['first_name'],
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          {
            type: 'BUTTONS',
            buttons: [{ type: 'URL', text: 'Track', url }, { type: 'COPY_CODE' }, { type: 'FLOW' }],
          },
        ],
      },
      { name: 'deck', body_text: 'Look!', components: [{ type: 'CAROUSEL' }] },
    ]);
    const send = async (name: string, variables: object) => {
      const template_id = sender.templates[name]?.id;
      const parties = { sender_id: sender.id, recipient_phone: freshCustomerNumber() };
      const { status, body } = await api.post(sendPath, { ...parties, template_id, variables });
      return { status, error_code: Object(body).error_code };
    };
    expect(await send('otp', { code: '4711' })).toMatchObject({ status: 200 });
    const texts = {
      first_name: 'Ada',
      header_image_link: 'https://shop.example/a.png',
      button_2: '25OFF',
      button_3: 'visit-7',
    };
    expect(await send('track', texts)).toEqual({ status: 422, error_code: 'VARIABLES_MISSING' });
    expect(await send('track', { ...texts, button_1: 'orders/7' })).toMatchObject({ status: 200 });
    expect(await send('deck', {})).toEqual({ status: 422, error_code: 'TEMPLATE_NOT_APPROVED' });
  });

  test('are none for a sender without any', async () => {
    const [api] = accountApis(await freshAccount());
    const { id } = await connectedSender(api);
    expect((await api.get(pathOf(id))).text).toBe('{"data":[]}');
  });

  test('of a platform account with many are all there', async () => {
    const [api] = accountApis(await freshAccount());
    const many = Array.from({ length: 130 }, (_, index) => ({ name: `template_${1000 + index}` }));
    const { id } = await connectedSender(api, {}, many);
    expect(namesOf((await api.get(pathOf(id))).body)).toEqual(many.map(({ name }) => name));
  });

  test('of nobody, of another account and of a malformed id are the same answer', async () => {
    const [owner] = accountApis(await freshAccount());
    const [stranger] = accountApis(await freshAccount());
    const { id } = await connectedSender(owner, {}, templates);
    for (const each of [id, 999_999_999, 'abc', '0', '9223372036854775808', '%zz']) {
      const answer = await stranger.get(`${pathOf(each)}?status=all`);
      expect([each, answer.status, answer.text]).toEqual([
        each,
        404,
        '{"success":false,"error":"Sender not found","error_code":"SENDER_NOT_FOUND"}',
      ]);
    }
  });

  test.each(['online', 'APPROVED', ''])('know no status %j', async (status) => {
    const [api] = accountApis(await freshAccount());
    const { id } = await connectedSender(api);
    const answer = await api.get(`${pathOf(id)}?status=${status}`);
    expect([answer.status, answer.body]).toMatchObject([422, { error_code: 'VALIDATION_FAILED' }]);
  });
});
