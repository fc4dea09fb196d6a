import { expect, test } from 'vitest';
import { interleave, median } from './statistics.ts';

test('the median of an odd count is the middle value, of an even count the mean of the two middle ones', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test('interleaved variants run in alternating order', async () => {
  const order: string[] = [];
  const results = await interleave(['a', 'b'], 2, async (name, round) => {
    order.push(`${name}${round}`);
    return round;
  });
  expect(order).toEqual(['a0', 'b0', 'b1', 'a1']);
  expect(results.get('b')).toEqual([0, 1]);
});
