import { expect, test } from 'vitest';
import { collectPage } from './log-page.ts';
import type { RecordedEvent } from './port.ts';

const event = (position: number, length: number) =>
  ({ position, data: { text: 'x'.repeat(length) } }) as unknown as RecordedEvent;

/** A log of so many events of a length; notes how many were read at a time. */
function logOf(count: number, length: number) {
  const parts: number[] = [];
  const read = async (after: number, limit: number) => {
    const left = Math.min(limit, count - after);
    parts.push(left);
    return Array.from({ length: left }, (_, index) => event(after + index + 1, length));
  };
  return { parts, read };
}

test('a page of small events is as long as it may be', async () => {
  const { parts, read } = logOf(2_000, 10);
  const page = await collectPage({ after: 0, upTo: 2_000, limit: 500 }, read);
  expect([page.events.length, page.reached]).toEqual([500, 500]);
  expect(parts).toEqual([200, 200, 100]);
});

test('a page ends where its events are large, and never holds more of them than memory bears', async () => {
  const { parts, read } = logOf(2_000, 50_000);
  const page = await collectPage({ after: 0, upTo: 2_000, limit: 1_000 }, read);
  expect([page.events.length, page.reached]).toEqual([200, 200]);
  expect(parts).toEqual([200]);
});

test('a page that finds the end reaches as far as was asked for', async () => {
  const { read } = logOf(30, 10);
  const page = await collectPage({ after: 25, upTo: 90, limit: 500 }, read);
  expect(page.events.map(({ position }) => position)).toEqual([26, 27, 28, 29, 30]);
  expect(page.reached).toBe(90);
});
