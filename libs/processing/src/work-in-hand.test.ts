import { expect, test, vi } from 'vitest';
import { WorkInHand } from './work-in-hand.ts';

test('a processor is at its oldest work for as long as that is neither done nor given up', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const inHand = new WorkInHand();
  expect(inHand.oldest('echo')).toBeUndefined();
  const endFirst = inHand.begin('echo', { position: 7 });
  now.mockReturnValue(1_500);
  const endSecond = inHand.begin('echo', { position: 8 });
  expect(inHand.oldest('echo')).toEqual({ subject: { position: 7 }, since: 1_000 });
  expect(inHand.oldest('other')).toBeUndefined();
  endFirst();
  expect(inHand.oldest('echo')).toEqual({ subject: { position: 8 }, since: 1_500 });
  endSecond();
  expect(inHand.oldest('echo')).toBeUndefined();
  now.mockRestore();
});
