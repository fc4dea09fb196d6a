import { recorded } from '@parley/testing';
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

test('a change shows the fields it changed, before and after, and no others', () => {
  const changes = note.changes([
    recorded({ type: 'Noted', data: { text: 'a', tags: ['x'] } }),
    recorded({ type: 'Noted', data: { text: 'b', tags: ['x'] } }),
    recorded({ type: 'WrittenByANewerVersion', data: {} }),
    recorded({ type: 'Erased', data: {} }),
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
    note
      .changes([recorded({ type: 'FolderCreated', data: {} }), recorded({ type: 'Unheard', data: {} })])
      .map((c) => c.summary),
  ).toEqual(['A folder was created.', 'Unheard']);
});

test('an id that cannot be one has no stream', () => {
  expect(note.streamOf('12')).toBe('note-12');
  for (const id of ['0', '-1', '1.5', '', 'x', '12/13', '99999999999999999'])
    expect(note.streamOf(id)).toBeUndefined();
});
