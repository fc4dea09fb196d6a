import { expect, test } from 'vitest';
import { Places } from './places.ts';

test('each key has its own places, given on in the order of arrival', async () => {
  const places = new Places(2);
  const order: string[] = [];
  const first = await places.take('a');
  await places.take('a');
  await places.take('b');
  const third = places.take('a').then(() => order.push('third'));
  const fourth = places.take('a').then((giveBack) => {
    order.push('fourth');
    giveBack();
  });
  first();
  await third;
  expect(order).toEqual(['third']);
  const fifth = places.take('a', AbortSignal.abort(new Error('gone')));
  await expect(fifth).rejects.toThrow('gone');
  (await places.take('b'))();
  first();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('one who gives up loses the turn to the next', async () => {
  const places = new Places(1);
  const giveBack = await places.take('a');
  const leaving = new AbortController();
  const left = places.take('a', leaving.signal);
  const next = places.take('a');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  giveBack();
  (await next)();
  (await places.take('a'))();
});
