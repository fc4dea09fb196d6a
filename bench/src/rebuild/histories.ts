import { digits, type Happening, type History, id, parent, uuid } from './history.ts';

const of = (stream: string, ...happened: readonly (string | [type: string, data: object])[]): Happening[] =>
  happened.map((each) =>
    typeof each === 'string' ? { stream, type: each } : { stream, type: each[0], data: each[1] },
  );

const organisers = (noun: 'Folder' | 'Label'): Happening[] =>
  of(
    `${noun.toLowerCase()}-${id}`,
    [`${noun}Created`, { id, name: `${noun} ${id}` }],
    [`${noun}Renamed`, { name: `${noun} ${id} by another name` }],
    `${noun}Recolored`,
    [`${noun}Renamed`, { name: `${noun} ${id} at last` }],
  );

const contact = {
  conversation_id: id,
  conversation_uuid: uuid,
  sender_id: parent,
  contact_phone: `+49${digits}`,
};

/** What each view is rebuilt from: an ordinary life of the things it shows. */
export const histories: readonly History[] = [
  {
    service: 'accounts',
    view: 'accounts',
    ofThings: of(`account-${id}`, ['AccountRegistered', { account_id: id, email: `ada-${id}@example.com` }]),
  },
  {
    service: 'accounts',
    view: 'api_keys',
    ofThings: [
      ...of(`api-key-${id}`, ['ApiKeyCreated', { api_key_id: id, token_sha256: `sha-${id}` }]),
      ...of(
        `api-key-9${digits}`,
        ['ApiKeyCreated', { api_key_id: `9${digits}`, token_sha256: `other-${id}` }],
        ['ApiKeyDeleted', { api_key_id: `9${digits}` }],
      ),
    ],
  },
  {
    service: 'accounts',
    view: 'ledger',
    ofThings: of(
      `balance-${id}`,
      'BalanceToppedUp',
      'BalanceReserved',
      'BalanceCaptured',
      'BalanceReserved',
      'BalanceReleased',
    ),
  },
  { service: 'assistants', view: 'folders', ofThings: organisers('Folder') },
  { service: 'assistants', view: 'labels', ofThings: organisers('Label') },
  {
    service: 'assistants',
    view: 'assistants',
    ofThings: of(
      `assistant-${id}`,
      ['AssistantCreated', { id, uuid }],
      'AssistantRenamed',
      'AssistantSettingsChanged',
      'AssistantLabelled',
      'AssistantActivated',
      'WebhookEnabled',
      'WebhookDisabled',
      'AssistantDeactivated',
    ),
  },
  {
    service: 'assistants',
    view: 'knowledgebases',
    ofThings: of(
      `knowledgebase-${id}`,
      ['KnowledgebaseCreated', { id }],
      'KnowledgebaseRenamed',
      'KnowledgebaseDescribed',
    ),
  },
  {
    service: 'assistants',
    view: 'campaigns',
    ofThings: [
      ...of(`campaign-${id}`, ['CampaignCreated', { id }], 'CampaignStarted'),
      ...of(`lead-${id}`, ['LeadCreated', { id, campaign_id: id }]),
      ...of(`lead-8${digits}`, ['LeadCreated', { campaign_id: id }], ['LeadDeleted', { campaign_id: id }]),
      ...of(`lead-9${digits}`, ['LeadCreated', { campaign_id: id }]),
    ],
  },
  {
    service: 'assistants',
    view: 'leads',
    ofParents: of(`campaign-${id}`, ['CampaignCreated', { id }]),
    ofThings: of(
      `lead-${id}`,
      ['LeadCreated', { id, campaign_id: parent, phone_number: `+49${digits}` }],
      'LeadVariablesReplaced',
      ['LeadQueued', { campaign_id: parent }],
      ['LeadAttemptStarted', { campaign_id: parent }],
      ['LeadAttemptEnded', { campaign_id: parent }],
    ),
  },
  {
    service: 'assistants',
    view: 'webhook_deliveries',
    ofThings: [
      ...of(`webhook-queue-${id}`, [
        'WebhookQueued',
        { delivery_id: `msg_${digits}`, event_id: uuid, sequence: id },
      ]),
      ...of(
        `webhook-delivery-msg_${digits}`,
        'WebhookAttemptStarted',
        'WebhookAttemptFailed',
        'WebhookAttemptStarted',
        'WebhookAttemptSucceeded',
      ),
    ],
  },
  {
    service: 'messaging',
    view: 'senders',
    ofThings: of(
      `sender-${id}`,
      ['SenderConnected', { sender_id: id, phone_number_id: `number-${id}`, phone_number: `+49${digits}` }],
      'SenderRenamed',
      'SenderQualityChanged',
      'SenderStatusChanged',
    ),
  },
  {
    service: 'messaging',
    view: 'templates',
    ofThings: of(
      `template-${id}`,
      ['TemplateAdded', { template_id: id, sender_id: parent, platform_template_id: `platform-${id}` }],
      'TemplateStatusChanged',
      'TemplateContentChanged',
    ),
  },
  {
    service: 'messaging',
    view: 'conversations',
    ofThings: [
      ...of(
        `conversation-${id}`,
        ['ConversationStarted', { ...contact, uuid }],
        ['ConversationContactNamed', { conversation_id: id }],
      ),
      ...of(`message-${id}`, ['MessageReceived', { ...contact, message_id: id }]),
      ...of(
        `message-9${digits}`,
        ['MessageSendStarted', { ...contact, message_id: `9${digits}` }],
        ['MessageSent', { message_id: `9${digits}` }],
        ['MessageDelivered', { message_id: `9${digits}` }],
        ['MessageRead', { message_id: `9${digits}` }],
      ),
    ],
  },
  {
    service: 'messaging',
    view: 'recipients',
    ofThings: [
      ...of(
        `message-${id}`,
        ['MessageSendStarted', { ...contact, message_id: id }],
        ['MessageFailed', { message_id: id }],
      ),
      ...of(`message-9${digits}`, ['MessageSendStarted', { ...contact, message_id: `9${digits}` }]),
    ],
  },
  {
    service: 'telephony',
    view: 'numbers',
    ofThings: of(
      `number-${id}`,
      ['NumberPurchaseRequested', { number_id: id, command_id: uuid, phone_number: `+49${digits}` }],
      'NumberPriced',
      'NumberSubscribed',
      ['NumberPurchased', { number_id: id }],
      'NumberRenamed',
      'NumberRenewed',
    ),
  },
  {
    service: 'telephony',
    view: 'sip_trunks',
    ofThings: of(
      `sip-trunk-${id}`,
      ['SipTrunkCreated', { id }],
      ['SipTrunkChanged', { id }],
      ['SipTrunkPasswordChanged', { id }],
    ),
  },
  {
    service: 'telephony',
    view: 'calls',
    ofThings: of(
      `call-${id}`,
      ['CallRequested', { call_id: id, room: `room-${id}` }],
      ['CallDialed', { call_id: id }],
      ['CallEnded', { call_id: id }],
      ['CallRecordingAdded', { call_id: id }],
      ['CallCharged', { call_id: id }],
    ),
  },
  {
    service: 'automations',
    view: 'automations',
    ofThings: of(
      `automation-${id}`,
      ['AutomationCreated', { id }],
      'AutomationDefinitionSaved',
      ['AutomationWebhookIssued', { token_hash: `hash-${id}` }],
      'AutomationActivated',
      'AutomationRenamed',
      ['AutomationDefinitionSaved', { version: 2 }],
      'AutomationDeactivated',
    ),
  },
  {
    service: 'automations',
    view: 'connections',
    ofThings: of(
      `connection-${id}`,
      ['ConnectionCreated', { id }],
      'ConnectionRenamed',
      'ConnectionSecretReplaced',
    ),
  },
  {
    service: 'automations',
    view: 'runs',
    ofThings: of(
      `run-${uuid}`,
      ['RunStarted', { run_id: uuid, automation_id: parent }],
      'StepStarted',
      'StepSucceeded',
      'RunPaused',
      'RunResumed',
      'StepStarted',
      'StepSucceeded',
      'RunSucceeded',
    ),
  },
];
