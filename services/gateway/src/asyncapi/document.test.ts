import { Parser } from '@asyncapi/parser';
import { events, serviceNames } from '@parley/contracts';
import { expect, test } from 'vitest';
import { createAsyncApiDocument } from './document.ts';

const text = JSON.stringify(createAsyncApiDocument(events));

test('the document is valid AsyncAPI 3', async () => {
  const { document, diagnostics } = await new Parser().parse(text);
  expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([]);
  expect(document?.version()).toBe('3.0.0');
});

test('every event of the contracts has its subject, and its payload as it is written', () => {
  const { channels, components } = JSON.parse(text);
  const others = Object.keys(channels).filter((name) => !events.some(({ type }) => type === name));
  expect(others).toEqual(['readEvents', 'readEventsReply']);
  expect(channels.FolderCreated.address).toBe('evt.assistants.folder.FolderCreated');
  expect(components.messages.FolderCreated.payload.properties.data.required).toEqual(['id', 'name', 'color']);
});

test('types that are generated from it have names, and the metadata of all events is one', () => {
  const { messages, schemas } = JSON.parse(text).components;
  const titles = ['BalanceReleased', 'BalanceReleased.v1'].map((name) => {
    const { title, properties } = messages[name].payload;
    return [title, properties.data.title];
  });
  expect(titles).toEqual([
    ['BalanceReleased', 'BalanceReleasedData'],
    ['BalanceReleasedV1', 'BalanceReleasedV1Data'],
  ]);
  const { metadata } = messages.FolderCreated.payload.properties;
  expect(metadata).toEqual({ $ref: '#/components/schemas/EventMetadata' });
  expect(schemas.EventMetadata.required).toContain('correlation_id');
});

test('events that are sent again are marked, and every event has its time', () => {
  const { properties, required } = JSON.parse(text).components.schemas.EventHeaders;
  expect(properties).toHaveProperty('parley-again');
  expect(required).not.toContain('parley-again');
  const { payload } = JSON.parse(text).components.messages.FolderCreated;
  const time = { type: 'string', format: 'date-time', description: expect.any(String) };
  expect(payload.properties.recorded_at).toEqual(time);
});

test('every version that was ever written is documented at the subject of its event', () => {
  const { channels, components } = JSON.parse(text);
  expect(Object.keys(channels.BalanceReleased.messages)).toEqual(['BalanceReleased', 'BalanceReleased.v1']);
  const versionOf = (name: string) => components.messages[name].payload.properties.schema_version.const;
  expect(['BalanceReleased', 'BalanceReleased.v1'].map(versionOf)).toEqual([2, 1]);
  const fieldsOf = (name: string) => components.messages[name].payload.properties.data.required;
  expect(fieldsOf('BalanceReleased')).toContain('effect');
  expect(fieldsOf('BalanceReleased.v1')).not.toContain('effect');
});

test('pages of a log are documented with what is asked, and what is answered', () => {
  const { channels, components, operations } = JSON.parse(text);
  expect(channels.readEvents.address).toBe('qry.{service}.read-events');
  expect(channels.readEvents.parameters.service.enum).toEqual(serviceNames);
  expect(operations.readEvents.reply.messages).toHaveLength(2);
  expect(components.messages.ReadEvents.payload.required).toEqual(['after', 'limit']);
  expect(components.messages.EventPage.payload.required).toEqual(['events', 'head']);
});

test('says what each field and header is that all events, or pages of them, have', () => {
  const { messages, schemas } = JSON.parse(text).components;
  const { payload: asked } = messages.ReadEvents;
  const { payload: answered } = messages.EventPage;
  const all = [
    ...[schemas.EventHeaders, schemas.EventMetadata, schemas.EventActor],
    ...[asked, answered, messages.Refusal.payload, messages.FolderCreated.payload],
  ].flatMap(({ properties }) => Object.entries<Record<string, unknown>>(properties));
  // What has a type of its own, or one value, needs no words.
  const unsaid = all.filter(
    ([, { description, $ref, title, const: only }]) => !(description ?? $ref ?? title ?? only),
  );
  expect(unsaid.map(([name]) => name)).toEqual([]);
  expect(schemas.EventHeaders.properties).toHaveProperty('Nats-Expected-Last-Sequence');
});

test('a document with a broken reference is found out', async () => {
  const broken = text.replace('#/components/messages/FolderCreated', '#/components/messages/Nothing');
  const { diagnostics } = await new Parser().parse(broken);
  expect(diagnostics.some(({ severity }) => severity === 0)).toBe(true);
});
