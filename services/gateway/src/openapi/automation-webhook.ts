import { chainHeader, receiveAutomationWebhook } from '@parley/contracts';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { ErrorSchemaName } from '../errors/error-schemas.ts';
import { toJsonSchema } from './json-schema.ts';

type Response = OpenAPIV3_1.ResponseObject;

const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const refused = (
  description: string,
  body: ErrorSchemaName,
  headers: Response['headers'] = {},
): Response => ({
  description,
  headers: { ...requestId, ...headers },
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } },
});

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** What others send to the address of an automation. It is no operation: its path is all that it takes. */
export const automationWebhook: OpenAPIV3_1.OperationObject = {
  operationId: 'receiveAutomationWebhook',
  tags: ['Automations'],
  summary: 'Tell an automation of an event, at its `webhook_url`',
  description:
    'Starts a run of an automation with a `webhook.inbound` trigger, whose `trigger.body` is the body: JSON, the fields of a form, or text. Whoever knows the address may do so, with a signature where the trigger asks for one. Nothing starts while the automation is turned off, or where its `filter` does not match: `run_id` is null then.',
  security: [],
  parameters: [
    {
      name: 'token',
      in: 'path',
      required: true,
      description: 'The secret of the address.',
      schema: { type: 'string' },
    },
    { $ref: '#/components/parameters/RequestId' },
    header('webhook-id', 'Requests with the same one are one event, and have the same run.'),
    header('Idempotency-Key', 'The same, where there is no `webhook-id`.'),
    header(chainHeader, 'Of a webhook that is passed on, as it came.'),
    header('Content-Encoding', '`gzip`, `deflate` or `br`; a signature is of the bytes that are sent.'),
  ],
  requestBody: {
    description: 'Up to 512 KB as an event, with the headers that automations see.',
    content: {
      'application/json': { schema: {}, example: { phone: '+442079460101', order: 'A-1' } },
      'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: true } },
      'text/plain': { schema: { type: 'string' } },
    },
  },
  responses: {
    '200': {
      description: 'Taken',
      headers: requestId,
      content: { 'application/json': { schema: toJsonSchema(receiveAutomationWebhook.output, 'output') } },
    },
    '400': refused('The body is not what its content type says.', 'MessageError'),
    '401': refused('It is not signed as the trigger wants it.', 'Unauthorized'),
    '404': refused(
      'No automation has that address, or it comes of runs more than eight deep.',
      'MessageError',
    ),
    '413': refused('The event is too large.', 'MessageError'),
    '415': refused('The content encoding must be gzip, deflate or br.', 'MessageError', {
      'Accept-Encoding': { $ref: '#/components/headers/Accept-Encoding' },
    }),
    '422': refused('The body is nested too deep.', 'ValidationError'),
    '500': refused('Something went wrong.', 'MessageError'),
    '503': refused('Not for now: send it again.', 'MessageError', {
      'Retry-After': { $ref: '#/components/headers/Retry-After' },
    }),
  },
};
