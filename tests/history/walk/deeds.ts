import { updateAssistant } from '@parley/contracts';
import fc from 'fast-check';
import { propertyValuesOf } from '../../fuzz/values-of-schema.ts';
import { assistantBody } from '../../support/assistants.ts';
import { mapFlow } from '../../support/automations.ts';
import { endCall, readCall } from '../../support/calls.ts';
import { control } from '../../support/chat-platform.ts';
import { sipTrunkBody } from '../../support/sip-trunks.ts';
import type { Walker } from './walker.ts';

/** Something that may be done to an account, as its owner, its customers or a provider would; it may be refused. */
export type Deed = (walker: Walker) => Promise<unknown>;

const rarely =
  (deed: Deed): Deed =>
  async (walker) =>
    walker.chance(0.25) && deed(walker);

const assistantValues = propertyValuesOf(updateAssistant.body);

/** Any settings, and what an assistant refers to: all of it may be there or deleted. */
function assistantSettings(walker: Walker): Record<string, unknown> {
  const generated = Object.entries(assistantValues).flatMap(([field, values]) =>
    walker.chance(0.05) && !/_ids?$|url/.test(field)
      ? [[field, fc.sample(values, { numRuns: 1, seed: walker.below(2 ** 31) })[0]]]
      : [],
  );
  const orNothing = (id: unknown) => (walker.chance(0.2) ? null : id);
  return {
    ...Object.fromEntries(generated),
    ...(walker.chance(0.3) && { name: walker.name() }),
    ...(walker.chance(0.2) && { variables: { b: walker.name(), '10': 1, '2': null } }),
    ...(walker.chance(0.2) && { folder_id: orNothing(walker.some('folder')) }),
    ...(walker.chance(0.2) && { label_ids: walker.chance(0.3) ? [] : [walker.some('label')] }),
    ...(walker.chance(0.2) && { knowledgebase_id: orNothing(walker.some('knowledgebase')) }),
    ...(walker.chance(0.2) && { phone_number_id: orNothing(walker.some('sip-trunk')) }),
  };
}

const campaignSettings = (walker: Walker): Record<string, unknown> => ({
  ...(walker.chance(0.3) && { name: walker.name() }),
  ...(walker.chance(0.3) && { timezone: walker.pick(['Europe/Berlin', 'UTC', null]) }),
  ...(walker.chance(0.3) && {
    windows: walker.pick([[], [{ days: [1, 3, 7], from: '00:00', to: '23:59' }]]),
  }),
  ...(walker.chance(0.3) && {
    retries: { max_attempts: 1 + walker.below(3), delay_minutes: 1 + walker.below(30) },
  }),
  ...(walker.chance(0.3) && { assistant_id: walker.some('assistant') }),
});

const newCampaign = (walker: Walker): object => {
  const { senderId: sender_id, templates } = walker.chat;
  return walker.pick([
    { channel: 'sms', body: 'Hello', assistant_id: walker.some('assistant') },
    { channel: 'call', assistant_id: walker.some('assistant') },
    { channel: 'chatapp', sender_id, template_id: templates.greeting },
  ]);
};

const flow = (walker: Walker): object =>
  walker.pick([
    mapFlow(),
    mapFlow({ a: '{{trigger.missing}}' }),
    { ...mapFlow(), trigger: { type: 'lead.created' } },
    {
      trigger: { type: 'webhook.inbound' },
      steps: [
        {
          ...{ id: 'add', type: 'lead.add' },
          input: { campaign_id: walker.some('campaign'), phone_number: walker.pick(walker.customers) },
        },
      ],
    },
  ]);

const organisers = (['folder', 'label'] as const).flatMap((kind): Deed[] => [
  (walker) =>
    walker.make(kind, `/api/user/${kind}`, { name: walker.name(), color: walker.pick(['teal', null]) }),
  (walker) => walker.api.put(`/api/user/${kind}/${walker.some(kind)}`, { name: walker.name() }),
  rarely((walker) => walker.api.delete(`/api/user/${kind}/${walker.some(kind)}`)),
]);

const knowledgebases: readonly Deed[] = [
  (walker) =>
    walker.make('knowledgebase', '/api/user/knowledgebases', {
      name: walker.name(),
      description: walker.name(),
    }),
  (walker) =>
    walker.api.put(
      `/api/user/knowledgebases/${walker.some('knowledgebase')}`,
      walker.pick([{ name: walker.name() }, { description: walker.pick([walker.name(), null]) }]),
    ),
  rarely((walker) => walker.api.delete(`/api/user/knowledgebases/${walker.some('knowledgebase')}`)),
];

const changeAssistant: Deed = (walker) =>
  walker.api.put(`/api/user/assistant/${walker.some('assistant')}`, assistantSettings(walker));

const assistants: readonly Deed[] = [
  (walker) => walker.make('assistant', '/api/user/assistant', assistantBody(assistantSettings(walker))),
  changeAssistant,
  changeAssistant,
  (walker) =>
    walker.api.post(`/api/user/assistants/${walker.pick(['enable-webhook', 'enable-inbound-webhook'])}`, {
      assistant_id: walker.some('assistant'),
      webhook_url: `https://example.com/${walker.below(5)}`,
    }),
  (walker) =>
    walker.api.post(`/api/user/assistants/${walker.pick(['disable-webhook', 'disable-inbound-webhook'])}`, {
      assistant_id: walker.some('assistant'),
    }),
  rarely((walker) => walker.api.delete(`/api/user/assistant/${walker.some('assistant')}`)),
];

const addLead: Deed = (walker) =>
  walker.make('lead', '/api/user/lead', {
    campaign_id: walker.some('campaign'),
    phone_number: walker.pick(walker.customers),
    variables: { b: walker.name(), '10': null, a: true },
    ...(walker.chance(0.3) && { allow_dupplicate: true }),
  });

const campaigns: readonly Deed[] = [
  (walker) =>
    walker.make('campaign', '/api/user/campaign', {
      name: walker.name(),
      ...newCampaign(walker),
      ...campaignSettings(walker),
    }),
  (walker) => walker.api.put(`/api/user/campaign/${walker.some('campaign')}`, campaignSettings(walker)),
  (walker) =>
    walker.api.post('/api/user/campaigns/update-status', {
      campaign_id: walker.some('campaign'),
      action: walker.pick(['start', 'stop']),
    }),
  rarely((walker) => walker.api.delete(`/api/user/campaign/${walker.some('campaign')}`)),
  addLead,
  addLead,
  (walker) =>
    walker.api.put(
      `/api/user/leads/${walker.some('lead')}`,
      walker.pick([{ phone_number: walker.pick(walker.customers) }, { variables: { n: walker.name() } }]),
    ),
  (walker) => walker.api.post(`/api/user/leads/${walker.some('lead')}/reopen`),
  rarely((walker) => walker.api.delete(`/api/user/leads/${walker.some('lead')}`)),
];

const automations: readonly Deed[] = [
  (walker) =>
    walker.make(
      'automation',
      '/api/user/automate/flows',
      { name: walker.name(), flow: flow(walker) },
      (body) => (body as { automation_id: string }).automation_id,
    ),
  (walker) =>
    walker.api.put(
      `/api/user/automate/flows/${walker.some('automation')}`,
      walker.pick([{ name: walker.name() }, { enabled: walker.chance(0.5) }, { flow: flow(walker) }]),
    ),
  (walker) =>
    walker.api.post(`/api/user/automate/flows/${walker.some('automation')}/test`, {
      sample: { n: 1 },
      confirm_side_effects: true,
    }),
  rarely((walker) => walker.api.delete(`/api/user/automate/flows/${walker.some('automation')}`)),
  (walker) =>
    walker.make('connection', '/api/user/automate/connections', {
      name: walker.name(),
      kind: 'http_bearer',
      secret: 'open sesame',
    }),
];

const telephony: readonly Deed[] = [
  (walker) =>
    walker.make('sip-trunk', '/api/user/phone-numbers/sip-trunks', sipTrunkBody({ nickname: walker.name() })),
  (walker) =>
    walker.api.put(
      `/api/user/phone-numbers/sip-trunks/${walker.some('sip-trunk')}`,
      walker.pick([
        { nickname: walker.name() },
        { inbound_authorization_type: 'ip', allowed_inbound_ips: ['203.0.113.7'] },
        { outbound_proxy: walker.chance(0.5) },
      ]),
    ),
  rarely((walker) => walker.api.delete(`/api/user/phone-numbers/sip-trunks/${walker.some('sip-trunk')}`)),
  (walker) =>
    walker.make('call', '/api/user/make_call', {
      assistant_id: walker.some('assistant'),
      phone_number: walker.pick(walker.customers),
    }),
  async (walker) => {
    if (walker.made('call').length === 0) return;
    const call = await readCall(walker.api, Number(walker.some('call')));
    if (call.status !== 'ringing') return;
    const outcome = walker.pick(['completed', 'no-answer', 'busy'] as const);
    await endCall(call, { outcome, duration_s: walker.below(200) });
  },
];

const chats: readonly Deed[] = [
  (walker) =>
    walker.make(
      'conversation',
      '/api/user/chatapp/send',
      {
        sender_id: walker.chat.senderId,
        template_id: walker.chat.templates.greeting,
        recipient_phone: walker.pick(walker.customers),
      },
      (body) => (body as { conversation_uuid: string }).conversation_uuid,
    ),
  (walker) =>
    walker.api.post('/api/user/chatapp/send-freeform', {
      sender_id: walker.chat.senderId,
      recipient_phone: walker.pick(walker.customers),
      message: walker.name(),
    }),
  (walker) =>
    control('chat/inbound', {
      to: walker.chat.senderPhone,
      from: walker.pick(walker.customers),
      text: walker.name(),
      name: walker.name(),
    }),
  (walker) =>
    walker.api.post(
      `/api/user/conversations/${walker.some('conversation')}/${walker.pick(['enable-ai', 'disable-ai'])}`,
    ),
  (walker) =>
    walker.api.put(
      `/api/user/chatapp/senders/${walker.chat.senderId}`,
      walker.pick([{ display_name: walker.name() }, { assistant_id: walker.some('assistant') }]),
    ),
];

const account: readonly Deed[] = [
  (walker) =>
    walker.make(
      'api-key',
      '/api/user/api-keys',
      { name: walker.name() },
      (body) => (body as { api_key: { id: number } }).api_key.id,
    ),
  rarely((walker) => walker.api.delete(`/api/user/api-keys/${walker.some('api-key')}`)),
  (walker) =>
    walker.api.put('/api/user/voice-webhook', { url: walker.pick(['https://example.com/voice', null]) }),
  (walker) =>
    walker.api.put('/api/user/payment-method', {
      token: walker.pick(['pm_card_visa', 'pm_card_mastercard']),
    }),
  rarely((walker) => walker.api.delete('/api/user/payment-method')),
];

/** What may be done, one as often as the other. */
export const deeds: readonly Deed[] = [
  ...organisers,
  ...knowledgebases,
  ...assistants,
  ...campaigns,
  ...automations,
  ...telephony,
  ...chats,
  ...account,
];

/** What there is to begin with, so that little is refused for what it refers to. */
export async function settle(walker: Walker): Promise<void> {
  for (const deed of [...organisers, ...knowledgebases]) await deed(walker);
  await walker.make('sip-trunk', '/api/user/phone-numbers/sip-trunks', sipTrunkBody());
  const calling = assistantBody({ phone_number_id: walker.some('sip-trunk') });
  await walker.make('assistant', '/api/user/assistant', calling);
  for (const body of [{ channel: 'sms', body: 'Hello' }, { channel: 'call' }])
    await walker.make('campaign', '/api/user/campaign', {
      name: 'First',
      assistant_id: walker.some('assistant'),
      ...body,
    });
}
