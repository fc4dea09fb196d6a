import { expect, test, vi } from 'vitest';
import { EventsInHand } from './events-in-hand.ts';

test('a reactor is at its oldest event for as long as that is neither done nor given up', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const inHand = new EventsInHand();
  expect(inHand.oldest('echo')).toBeUndefined();
  const endFirst = inHand.begin('echo', { position: 7, eventId: 'a' });
  now.mockReturnValue(1_500);
  const endSecond = inHand.begin('echo', { position: 8, eventId: 'b' });
  now.mockReturnValue(2_000);
  expect(inHand.oldest('echo')).toEqual({ position: 7, eventId: 'a', ms: 1_000 });
  expect(inHand.oldest('other')).toBeUndefined();
  endFirst();
  expect(inHand.oldest('echo')).toEqual({ position: 8, eventId: 'b', ms: 500 });
  endSecond();
  expect(inHand.oldest('echo')).toBeUndefined();
  now.mockRestore();
});
