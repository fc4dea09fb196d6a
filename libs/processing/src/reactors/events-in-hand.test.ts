import { expect, test, vi } from 'vitest';
import { EventsInHand } from './events-in-hand.ts';

test('a reactor is at its oldest event for as long as that is neither done nor given up', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const inHand = new EventsInHand();
  expect(inHand.longestMs('echo')).toBe(0);
  const endFirst = inHand.begin('echo');
  now.mockReturnValue(1_500);
  const endSecond = inHand.begin('echo');
  now.mockReturnValue(2_000);
  expect([inHand.longestMs('echo'), inHand.longestMs('other')]).toEqual([1_000, 0]);
  endFirst();
  expect(inHand.longestMs('echo')).toBe(500);
  endSecond();
  expect(inHand.longestMs('echo')).toBe(0);
  now.mockRestore();
});
