import { expect, test } from 'vitest';
import { wantsFeed } from './wants-feed.ts';

const isFeed = (accept: string | undefined, method = 'GET') => wantsFeed({ method, headers: { accept } });

test.each([
  'text/event-stream',
  'Text/Event-Stream',
  'text/event-stream; charset=utf-8',
  'text/event-stream, */*',
  'text/event-stream, application/json',
  'application/json;q=0.5, text/event-stream;q=0.8',
  'text/event-stream;q=0.1',
])('who accepts %s gets the feed', (accept) => {
  expect(isFeed(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/json, text/event-stream',
  'text/event-stream;q=0, application/json',
  'text/event-stream;q=0.2, application/json',
  'text/event-stream;q=0',
  'application/json; note="text/event-stream"',
  'text/event-streams',
  'text/*',
  'text/html, text/*;q=0.5, */*;q=0.1',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'image/png',
])('who accepts %s gets a page', (accept) => {
  expect(isFeed(accept)).toBe(false);
});

test('the answer to a HEAD is that without a feed', () => {
  expect(isFeed('text/event-stream', 'HEAD')).toBe(false);
});
