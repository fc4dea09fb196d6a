import { expect, test } from 'vitest';
import { eventHeaders, eventSubject, parseEvent } from './event-message.ts';

const event = {
  position: 7,
  stream_id: 'folder-12',
  stream_version: 1,
  category: 'folder',
  account_id: 3,
  type: 'FolderCreated',
  schema_version: 1,
  event_id: '0193e2a0-0000-7000-8000-000000000001',
  data: { id: 12, name: 'Sales', color: null },
  metadata: {
    correlation_id: 'request-1',
    causation_id: 'command-1',
    command_id: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recorded_at: '2026-11-21T09:30:00.000000Z',
} as Parameters<typeof eventSubject>[1];

test('an event is published under its own name, and never under a name with a wildcard', () => {
  expect(eventSubject('assistants', event)).toBe('evt.assistants.folder.FolderCreated');
  for (const name of ['*', '>', 'a.b', 'a b', ''])
    expect(() => eventSubject('assistants', { ...event, type: name })).toThrow('not fit for a subject');
});

test('an event says whose it is, where it is somebody’s', () => {
  expect(eventHeaders('assistants', event)).toMatchObject({
    'parley-account': ['3'],
    'ce-id': [event.event_id],
  });
  expect(eventHeaders('assistants', { ...event, account_id: null })).not.toHaveProperty('parley-account');
});

test('what is no event is passed over', () => {
  expect(parseEvent(JSON.stringify(event))).toEqual(event);
  for (const body of ['', '{', '{}', 'null', JSON.stringify({ ...event, position: 'x' })])
    expect(parseEvent(body)).toBeUndefined();
});
