import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PersonalData } from '../history/event.ts';
import { events } from '../index.ts';

/** Names of fields that may hold what belongs to a person the account is in touch with. */
const suspect =
  /phone|recipient|customer|contact|transcript|variables|recording|^(text|body|name|from|to|description|reason|error|errors|message|room|email)$/;

/** Looked at one by one: the account's own numbers, names and texts, and what only tells about a thing. */
const ownedByAccounts = new Set([
  'AccountRegistered.email',
  'AccountRegistered.name',
  'ApiKeyCreated.name',
  'AssistantCreated.settings',
  'AssistantRenamed.name',
  'AssistantSettingsChanged.changed',
  'AutomationCreated.name',
  'AutomationRenamed.name',
  'AutomationTriggerRefused.reason',
  'CallArrived.assistant_phone',
  'CallEnded.assistant_phone',
  'CallEnded.recording_follows',
  'CallRequested.assistant_phone',
  'CampaignCreated.body',
  'CampaignCreated.name',
  'CampaignRenamed.name',
  'ConnectionCreated.name',
  'ConnectionRenamed.name',
  'ConversationAiDisabled.reason',
  'FolderCreated.name',
  'FolderRenamed.name',
  'InboundWebhookDisabled.reason',
  'KnowledgebaseCreated.description',
  'KnowledgebaseCreated.name',
  'KnowledgebaseDescribed.description',
  'KnowledgebaseRenamed.name',
  'LabelCreated.name',
  'LabelRenamed.name',
  'MessageNotAnswered.reason',
  'NumberPurchaseFailed.reason',
  'NumberPurchaseRequested.phone_number',
  'NumberPurchaseUndone.phone_number',
  'NumberPurchased.phone_number',
  'NumberReleaseRequested.reason',
  'NumberReleased.phone_number',
  'RunResumed.reason',
  'SenderConnected.phone_number',
  'SipTrunkChanged.phone_number',
  'SipTrunkCreated.phone_number',
  'SmsSendStarted.own_phone',
  'TemplateAdded.name',
  'VoiceWebhookDisabled.reason',
  'WebhookCancelled.reason',
  'WebhookDisabled.reason',
]);

const fieldsOf = (schema: z.ZodType): string[] =>
  Object.keys((z.toJSONSchema(schema, { unrepresentable: 'any' }).properties ?? {}) as object);

const declared = ({ subject, fields = [], mentions = [], each = {} }: PersonalData): string[] => [
  ...(subject === undefined ? [] : [subject]),
  ...fields,
  ...mentions,
  ...Object.keys(each),
];

test.each(events)('$type names what of it belongs to people, or holds nothing that could', (definition) => {
  const { type, data, personal = {} } = definition;
  const known = declared(personal);
  const forgotten = fieldsOf(data).filter(
    (field) => suspect.test(field) && !field.endsWith('_id') && !known.includes(field),
  );
  expect(forgotten.map((field) => `${type}.${field}`).filter((name) => !ownedByAccounts.has(name))).toEqual(
    [],
  );
});

test.each(events)('$type has the fields that it calls personal', ({ data, personal = {} }) => {
  const fields = fieldsOf(data);
  const [text] = personal.subjectIn ?? [];
  expect(
    [...declared(personal), ...(text === undefined ? [] : [text])].filter((f) => !fields.includes(f)),
  ).toEqual([]);
});

test('whoever a payload is about is personal data itself', () => {
  for (const { type, personal } of events)
    if (personal?.subject !== undefined) expect(personal.fields, type).toContain(personal.subject);
});

test('the list of exceptions names fields that exist', () => {
  const known = new Set(
    events.flatMap(({ type, data }) => fieldsOf(data).map((field) => `${type}.${field}`)),
  );
  expect([...ownedByAccounts].filter((name) => !known.has(name))).toEqual([]);
});
