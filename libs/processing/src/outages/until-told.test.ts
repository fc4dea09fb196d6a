import { expect, test } from 'vitest';
import { untilTold } from './until-told.ts';

test('the wait for a callback ends as soon as it has told', async () => {
  let looks = 0;
  await untilTold(async () => ++looks < 3);
  expect(looks).toBe(3);
});

test('the wait for a callback that does not come ends by itself', async () => {
  let looks = 0;
  await untilTold(async () => ++looks > 0);
  expect(looks).toBeGreaterThan(1);
});
