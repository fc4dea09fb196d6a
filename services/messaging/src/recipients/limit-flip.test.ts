import { describe, expect, test } from 'vitest';
import { type LastWritten, limitFlipsAt } from './limit-flip.ts';

const day = 24 * 60 * 60 * 1_000;
const written: readonly LastWritten[] = [
  { contactPhone: 'ada', messageId: 1, at: 1_000 },
  { contactPhone: 'bob', messageId: 2, at: 2_000 },
  { contactPhone: 'eve', messageId: 3, at: 3_000 },
];

describe('what a messaging limit says flips', () => {
  test.each<[string, number | null, string, number | null]>([
    ['when the oldest recipient leaves, for a new one at the limit', 3, 'zoe', 1_000 + day],
    ['when enough have left, for a new one beyond a lowered limit', 1, 'zoe', 3_000 + day],
    ['never, for a new one below the limit', 4, 'zoe', null],
    ['never, without a limit', null, 'zoe', null],
    ['never, with no place at all', 0, 'zoe', null],
    ['never, for a known one whose own place becomes free', 3, 'ada', null],
    ['when a known one leaves a window that stays full', 2, 'ada', 1_000 + day],
  ])('%s', (_, limit, phone, expected) => expect(limitFlipsAt(limit, written, phone)).toBe(expected));
});
