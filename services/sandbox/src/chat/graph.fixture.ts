import { type Answer, ask, sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

export const senderPhone = '+14155552671';
export const customer = '+491701234567';

/** A sandbox with one sender and its templates, to be asked in the way of the Graph API. */
export interface TestGraph {
  readonly sandbox: TestSandbox;
  readonly phoneNumberId: string;
  readonly accountId: string;
  get(path: string): Promise<Answer>;
  send(message: object): Promise<Answer>;
  sendTemplate(name: string, parameters: readonly string[], extra?: object): Promise<Answer>;
  /** The `value` of each notification that has `content`, in the order of arrival. */
  notifications(content: string): readonly unknown[];
}

const template = { sender_phone: senderPhone, language: 'en', category: 'utility', status: 'approved' };
const templates = [
  { ...template, name: 'welcome', body_text: 'Hi {{1}}, {{2}}!', variables: ['name', 'order'] },
  { ...template, name: 'named', body_text: 'Hi {{first_name}}' },
  { ...template, name: 'waiting', status: 'pending', body_text: 'Hi' },
  { ...template, name: 'may_we_call', body_text: 'May we call?', kind: 'voice_call_request' },
];

export async function startTestGraph(): Promise<TestGraph> {
  const sandbox = await startTestSandbox();
  const sender = {
    phone_number: senderPhone,
    display_name: 'Acme',
    messaging_limit: 37,
    calling_enabled: true,
  };
  await sandbox.control('chat/senders', sender);
  for (const each of templates) await sandbox.control('chat/templates', each);
  const headers = {
    authorization: `Bearer ${sandboxDefaults.WHATSAPP_ACCESS_TOKEN.reveal()}`,
    'content-type': 'application/json',
  };
  const get = (path: string) => ask(`${sandbox.url}/v23.0/${path}`, { headers });
  const owned = await get(
    `${sandboxDefaults.WHATSAPP_BUSINESS_ID}/owned_whatsapp_business_accounts?fields=id,phone_numbers{id}`,
  );
  const [account] = JSON.parse(JSON.stringify(owned.body)).data;
  const phoneNumberId: string = account.phone_numbers.data[0].id;
  const send = (message: object) =>
    ask(`${sandbox.url}/v23.0/${phoneNumberId}/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ messaging_product: 'whatsapp', to: customer.slice(1), ...message }),
    });
  return {
    sandbox,
    phoneNumberId,
    accountId: account.id,
    get,
    send,
    sendTemplate: (name, parameters, extra = {}) =>
      send({
        type: 'template',
        template: {
          name,
          language: { code: 'en' },
          components: [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }],
        },
        ...extra,
      }),
    notifications: (content) =>
      sandbox.received
        .map(({ body }) => JSON.parse(body).entry[0].changes[0].value)
        .filter((value) => JSON.stringify(value).includes(content)),
  };
}
