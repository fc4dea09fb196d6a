import { expect, test } from 'vitest';
import { framePage, startOf } from './event-frames.ts';

test('an item is an event with its position as id and its type as name', () => {
  const body =
    '{"data":[{"position":7,"type":"FolderCreated","data":{"name":"a\\nb"}}],"next_position":9,"has_more":true}';
  expect(framePage(body)).toEqual({
    text: 'id: 7\nevent: FolderCreated\ndata: {"position":7,"type":"FolderCreated","data":{"name":"a\\nb"}}\n\n',
    hasMore: true,
    next: 9,
  });
});

test('the last event id goes before the query; nonsense is passed over', () => {
  expect(startOf('12', '3')).toBe('12');
  expect(startOf(undefined, '3')).toBe('3');
  expect(startOf('x', '3')).toBe('3');
});
