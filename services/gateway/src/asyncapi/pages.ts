import { operatorSubject, readEvents, serviceNames } from '@parley/contracts';
import { z } from 'zod';
import { toJsonSchema } from '../openapi/json-schema.ts';

const statusHeader = (status: 'ok' | 'rejected') =>
  toJsonSchema(
    z.object({ 'Parley-Status': z.literal(status).describe('Whether the reply is a page.') }),
    'output',
  );

/** What a single message to a service is answered when it says no. */
const refusal = z.object({
  code: z.string().describe('For programs, such as `invalid` or `unavailable`.'),
  message: z.string().optional().describe('For people.'),
  fields: z.record(z.string(), z.array(z.string())).optional().describe('What is wrong, by field.'),
  details: z.record(z.string(), z.json()).optional().describe('More about it.'),
  retryAfterSeconds: z.number().optional().describe('After which time to ask again.'),
});

const message = (name: string) => ({ $ref: `#/components/messages/${name}` });

/** How a subscriber asks a service for what it missed: plain JSON, a request of NATS and its reply. */
export const pages = {
  channels: {
    readEvents: {
      address: operatorSubject('{service}', readEvents),
      summary: 'Pages of a service’s log, in order and without gaps.',
      parameters: { service: { enum: serviceNames } },
      messages: { ReadEvents: message('ReadEvents') },
    },
    readEventsReply: {
      address: null,
      summary: 'The reply subject of the request.',
      messages: { EventPage: message('EventPage'), Refusal: message('Refusal') },
    },
  },
  operations: {
    readEvents: {
      action: 'receive',
      summary: 'A page of what is behind `after`',
      description:
        'Go on with the position of the last event, until that is `head`. A page of large events is shorter than `limit`. Personal data is in it, and payloads are at their newest version. No reply, or the status 503 of NATS, means that no copy of the service is there: ask again.',
      channel: { $ref: '#/channels/readEvents' },
      messages: [{ $ref: '#/channels/readEvents/messages/ReadEvents' }],
      reply: {
        channel: { $ref: '#/channels/readEventsReply' },
        messages: ['EventPage', 'Refusal'].map((name) => ({
          $ref: `#/channels/readEventsReply/messages/${name}`,
        })),
      },
    },
  },
  messages: {
    ReadEvents: {
      summary: 'Asks for a page. No header is needed.',
      contentType: 'application/json',
      payload: toJsonSchema(readEvents.input, 'input'),
    },
    EventPage: {
      summary: 'Events as their own messages have them, and where the log ends.',
      contentType: 'application/json',
      headers: statusHeader('ok'),
      payload: toJsonSchema(readEvents.output, 'output'),
    },
    Refusal: {
      summary: 'Why there is no page; `unavailable` passes by itself.',
      contentType: 'application/json',
      headers: statusHeader('rejected'),
      payload: toJsonSchema(refusal, 'output'),
    },
  },
};
