import { expect, test } from 'vitest';
import { markedAsReplay } from './replay-mark.ts';

test('a replay says so in its last field, and nothing else of it is another', () => {
  const body = JSON.stringify({ event: 'post_call', sequence: 1, transcript: [{ text: '}"' }] });
  expect(JSON.parse(markedAsReplay(body))).toEqual({ ...JSON.parse(body), replay: true });
  expect(markedAsReplay(body).startsWith(body.slice(0, -1))).toBe(true);
});
