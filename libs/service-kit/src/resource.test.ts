import type { RecordedEvent } from '@parley/event-store';
import { expect, test } from 'vitest';
import { defineResource, numberedStream } from './resource.ts';

type Noted = { type: 'Noted'; data: { text: string; tags: string[] } } | { type: 'Erased'; data: object };

const note = defineResource<{ text: string; tags: string[] } | null, Noted>({
  name: 'note',
  streamOf: numberedStream('note'),
  fold: {
    initialState: null,
    evolve: (state, event) => (event.type === 'Noted' ? event.data : event.type === 'Erased' ? null : state),
  },
});

const recorded = (type: string, data: object): RecordedEvent => ({
  position: 1,
  streamId: 'note-1',
  streamVersion: 1,
  category: 'note',
  accountId: 1,
  type,
  schemaVersion: 1,
  eventId: '0193e2a0-0000-7000-8000-000000000001',
  data,
  metadata: {
    correlationId: 'r',
    causationId: 'c',
    commandId: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recordedAt: '2026-11-21T09:30:00.000000Z',
});

test('a change shows the fields it changed, before and after, and no others', () => {
  const changes = note.changes([
    recorded('Noted', { text: 'a', tags: ['x'] }),
    recorded('Noted', { text: 'b', tags: ['x'] }),
    recorded('WrittenByANewerVersion', {}),
    recorded('Erased', {}),
  ]);
  expect(changes.map(({ before, after }) => ({ before, after }))).toEqual([
    { before: {}, after: { text: 'a', tags: ['x'] } },
    { before: { text: 'a' }, after: { text: 'b' } },
    { before: {}, after: {} },
    { before: { text: 'b', tags: ['x'] }, after: {} },
  ]);
});

test('a change says what its event means', () => {
  expect(
    note.changes([recorded('FolderCreated', {}), recorded('Unheard', {})]).map((c) => c.summary),
  ).toEqual(['A folder was created.', 'Unheard']);
});

test('an id that cannot be one has no stream', () => {
  expect(note.streamOf('12')).toBe('note-12');
  for (const id of ['0', '-1', '1.5', '', 'x', '12/13', '99999999999999999'])
    expect(note.streamOf(id)).toBeUndefined();
});
