import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

test('an account has half of the places at most, and all of them together have all', () => {
  const shares = new Shares(8);
  const take = (account: number, count: number) =>
    Array.from({ length: count }, () => shares.take(account)).filter((place) => place !== undefined);
  const places = take(1, 9);
  expect(places).toHaveLength(4);
  expect(take(2, 9)).toHaveLength(4);
  expect(take(3, 1)).toHaveLength(0);
  places.pop()?.();
  expect([take(3, 1), take(1, 1)].map(({ length }) => length)).toEqual([1, 0]);
});

test('a place that is given back is free again, and an account that has none is forgotten', () => {
  const shares = new Shares(4, 1);
  for (let n = 0; n < 10; n += 1) {
    const giveBack = shares.take(1);
    expect(giveBack).toBeDefined();
    expect(shares.take(1)).toBeUndefined();
    giveBack?.();
  }
});

test('several places are taken together or not at all', () => {
  const shares = new Shares(8);
  const giveBack = shares.take(1, 3);
  expect([shares.take(1, 2), shares.take(1, 5)]).toEqual([undefined, undefined]);
  expect(shares.take(2, 4)).toBeDefined();
  expect(shares.take(3, 2)).toBeUndefined();
  giveBack?.();
  expect(shares.take(1, 4)).toBeDefined();
});

test('a single place is for anybody', () => expect(new Shares(1).take(1)).toBeDefined());
