import { type EventDefinition, recordedEvent } from '@parley/contracts';
import { z } from 'zod';
import { toJsonSchema } from '../openapi/json-schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The AsyncAPI 3.0 document of the events: derived from their contracts, so it cannot say anything else. */
export function createAsyncApiDocument(events: readonly EventDefinition[]): JsonObject {
  const byType = <T>(entryOf: (event: EventDefinition) => T) =>
    Object.fromEntries(events.map((event) => [event.type, entryOf(event)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parley events',
      version: '1',
      description:
        'Every event of every service, in JetStream streams `EVT_<SERVICE>`, as CloudEvents 1.0 in binary mode. `Nats-Msg-Id` is the event id; `parley-position` counts a service’s log from 1 without gaps, so that a gap is seen at once and filled with pages of `qry.<service>.read-events {after, limit}`. An event may come more than once: its id tells.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { nats: { host: '127.0.0.1:4222', protocol: 'nats', description: 'NATS with JetStream.' } },
    channels: byType(({ service, category, type, summary }) => ({
      address: `evt.${service}.${category}.${type}`,
      summary,
      messages: { [type]: { $ref: `#/components/messages/${type}` } },
    })),
    operations: byType(({ type }) => ({
      action: 'send',
      channel: { $ref: `#/channels/${type}` },
      messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
    })),
    components: {
      messages: byType((event) => ({
        name: event.type,
        summary: event.summary,
        contentType: 'application/json',
        headers: { $ref: '#/components/schemas/EventHeaders' },
        payload: toJsonSchema(payloadOf(event), 'output'),
      })),
      schemas: { EventHeaders: toJsonSchema(eventHeaders, 'output') },
    },
  };
}

const payloadOf = ({ type, version, category, data }: EventDefinition) =>
  recordedEvent.extend({
    type: z.literal(type),
    schema_version: z.literal(version),
    category: z.literal(category),
    data,
  });

const eventHeaders = z.object({
  'ce-specversion': z.literal('1.0'),
  'ce-id': z.string().describe('The event id.'),
  'ce-source': z.string().describe('`/parley/<service>`'),
  'ce-type': z.string(),
  'ce-subject': z.string().describe('The stream.'),
  'ce-time': z.iso.datetime(),
  'ce-datacontenttype': z.literal('application/json'),
  'parley-position': z.string().describe('Of the service’s log; the predecessor’s is one less.'),
  'parley-account': z.string().optional().describe('The account it belongs to.'),
  'Nats-Msg-Id': z.string().describe('The event id.'),
});
