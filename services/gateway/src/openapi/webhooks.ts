import { chainHeader, type WebhookKind, webhookBodies, webhookKinds } from '@parley/contracts';
import type { OpenAPIV3_1 } from 'openapi-types';
import { toJsonSchema } from './json-schema.ts';

const summaries: Readonly<Record<WebhookKind, string>> = {
  post_call: 'A call is over: to `webhook_url` of its assistant, while that is on',
  inbound_call: 'An inbound call is over: to `inbound_webhook_url` of its assistant',
  chatapp_voice: 'Something about voice calls happened on a chat app: to the account’s voice webhook',
};

const header = (name: string, description: string, example: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const signed = [
  header(
    'webhook-id',
    'The same over all attempts and redeliveries: what was seen before need not be done again.',
    'msg_9b1c7f3e0d5a5c4e9a3c0c5a1f1f7d10',
  ),
  header('webhook-timestamp', 'Seconds since 1970, of this attempt.', '1795339800'),
  header(
    'webhook-signature',
    'HMAC-SHA256 of id, timestamp and body with the secret; while it is being rotated one for each, separated by a space.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
];

const replay: OpenAPIV3_1.ParameterObject = {
  name: 'webhook-replay',
  in: 'header',
  required: false,
  description: 'Only when a back-fill has it sent again.',
  schema: { type: 'string', enum: ['true'] },
};

const chainDepth: OpenAPIV3_1.ParameterObject = {
  name: chainHeader,
  in: 'header',
  required: false,
  description:
    'Only where a run of an automation led to it, and how deep that is: who passes it on to the webhook of an automation keeps runs from starting one another for ever.',
  schema: { type: 'string', pattern: '^[0-9]{1,3}$' },
};

/** What customers receive, by the value of `event`: Standard Webhooks 1.0. */
export const webhookObjects = (): Record<string, Record<string, OpenAPIV3_1.OperationObject>> =>
  Object.fromEntries(webhookKinds.map((event) => [event, { post: requestOf(event) }]));

const requestOf = (event: WebhookKind): OpenAPIV3_1.OperationObject => ({
  operationId: event.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  tags: ['Webhooks'],
  summary: summaries[event],
  security: [],
  parameters: [...signed, replay, chainDepth],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: toJsonSchema(webhookBodies[event], 'output') } },
  },
  responses: {
    '2XX': { description: 'Taken, within 15 seconds.' },
    '410': { description: 'Not wanted any more: the webhook is turned off.' },
    default: { description: 'Not taken: it comes again by the schedule, or when `Retry-After` says.' },
  },
});
