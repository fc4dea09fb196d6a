import { type EventDefinition, recordedEvent } from '@parley/contracts';
import { z } from 'zod';
import { namedSchemasIn, toJsonSchema } from '../openapi/json-schema.ts';
import { pages } from './pages.ts';

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
        'Every event of every service, in JetStream streams `EVT_<SERVICE>`, as CloudEvents 1.0 in binary mode. `ce-id` is the event id; `parley-position` counts a service’s log from 1 without gaps, so that a gap is seen at once and filled with pages (`readEvents`). An event may come more than once: its id tells. Keep the last position that you have handled yourself: a stream holds the newest 256 MiB and, where NATS has lost it, is made anew without the durable consumers that it had, which a client tells by `stream_not_found`, `consumer_not_found`, `consumer_deleted` or missed heartbeats; the same position with another id means that the service was restored from a backup. Where `sealed` is true, what belongs to people is not in `data` (`erased:<id>`, `[erased]`, `[]`, `{}` stand for it): a page has it, for as long as the person is not erased. A payload may be of an earlier version (`schema_version`, messages `<type>.v1` …) when it was published before there was a newer one.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '127.0.0.1:4222',
        protocol: 'nats',
        description:
          'NATS with JetStream, at one of the URLs in `NATS_URL`; where a stack brought its own, at `nats_url` of `stack.json` in its home.',
        security: [{ $ref: '#/components/securitySchemes/user' }],
      },
    },
    channels: {
      ...byType(({ service, category, type, version, summary }) => ({
        address: `evt.${service}.${category}.${type}`,
        summary,
        messages: Object.fromEntries(
          namesOf(type, version).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      })),
      ...pages.channels,
    },
    operations: {
      ...byType(({ type, version }) => ({
        action: 'send',
        channel: { $ref: `#/channels/${type}` },
        messages: namesOf(type, version).map((name) => ({ $ref: `#/channels/${type}/messages/${name}` })),
      })),
      ...pages.operations,
    },
    components: {
      securitySchemes: {
        user: { type: 'userPassword', description: 'Those of the URL; a NATS of your own may want others.' },
      },
      messages: { ...Object.fromEntries(events.flatMap(messagesOf)), ...pages.messages },
      schemas: {
        EventHeaders: toJsonSchema(eventHeaders, 'output'),
        ...namedSchemasIn(recordedEvent, 'output'),
      },
    },
  };
}

/** The newest version goes by the type's name, those before it by `<type>.v1` and so on. */
const namesOf = (type: string, version: number): readonly string[] => [
  type,
  ...Array.from({ length: version - 1 }, (_, index) => `${type}.v${index + 1}`),
];

/** Of every version: what was published before stays in JetStream as it was. */
function messagesOf(event: EventDefinition): [string, JsonObject][] {
  const { type, version, earlier = [], summary } = event;
  const payloads = [
    payloadOf(event, type),
    ...earlier.map(({ data }, index) =>
      payloadOf({ ...event, version: index + 1, data }, `${type}V${index + 1}`),
    ),
  ];
  return namesOf(type, version).map((name, index) => [
    name,
    {
      name: type,
      summary: index === 0 ? summary : `${summary} As it was written before version ${index + 1}.`,
      contentType: 'application/json',
      headers: { $ref: '#/components/schemas/EventHeaders' },
      payload: toJsonSchema(payloads[index] ?? z.never(), 'output'),
    },
  ]);
}

/** `title` is what generators call the type that they make of it. */
const payloadOf = ({ type, version, category, data }: EventDefinition, title: string) =>
  recordedEvent
    .extend({
      type: z.literal(type),
      schema_version: z.literal(version),
      category: z.literal(category),
      data: data.meta({ title: `${title}Data` }),
    })
    .meta({ title });

const eventHeaders = z.object({
  'ce-specversion': z.literal('1.0').describe('Of CloudEvents.'),
  'ce-id': z.string().describe('The event id.'),
  'ce-source': z.string().describe('`/parley/<service>`'),
  'ce-type': z.string().describe('What happened: the `type` of the payload.'),
  'ce-subject': z
    .string()
    .describe('The stream. As CloudEvents has it, all but printable ASCII is percent-encoded.'),
  'ce-time': z.iso.datetime().describe('The `recorded_at` of the payload.'),
  'ce-datacontenttype': z.literal('application/json').describe('Of the payload.'),
  'parley-position': z.string().describe('Of the service’s log; the predecessor’s is one less.'),
  'parley-account': z.string().optional().describe('The account it belongs to.'),
  'parley-again': z
    .string()
    .optional()
    .describe(
      'Only of what is sent again on demand: the mark of that time, and up to which position it goes.',
    ),
  'content-type': z.literal('application/json').describe('The same, as CloudEvents has it on NATS.'),
  'Nats-Msg-Id': z
    .string()
    .describe('The event id; when the log is sent again with a slash and a mark of that time behind it.'),
  'Nats-Expected-Last-Sequence': z
    .string()
    .optional()
    .describe('What the publisher asks of NATS when it sends the event; means nothing to a subscriber.'),
  'Nats-Expected-Last-Msg-Id': z.string().optional().describe('The same.'),
});
