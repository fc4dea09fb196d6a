import { expect, test } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';

test('a cursor comes back as the position it was made of', () => {
  for (const position of [1, 7, 1_000_000, Number.MAX_SAFE_INTEGER])
    expect(readCursor(writeCursor(position))).toBe(position);
  expect(readCursor(undefined)).toBe(Number.MAX_SAFE_INTEGER);
});

test('what no list gave is no cursor', () => {
  const crafted = [
    '',
    'x',
    'p1',
    'cDA',
    'cDAx',
    `${writeCursor(7)}=`,
    `${writeCursor(7)} `,
    'cDktMQ',
    '🏢',
    '%00',
  ];
  for (const cursor of [...crafted, Buffer.from('p99999999999999999').toString('base64url')])
    expect(readCursor(cursor)).toBeUndefined();
});
