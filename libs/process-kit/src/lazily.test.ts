import { expect, test } from 'vitest';
import { lazily } from './lazily.ts';

test('it is made once, when it is first asked for', async () => {
  const made: object[] = [];
  const later = lazily(async () => made[made.push({}) - 1]);
  expect(made).toEqual([]);
  expect(await later()).toBe(await later());
  expect(made).toHaveLength(1);
});

const failure = new Error('EMFILE: too many open files');
test.each<[string, () => Promise<string>]>([
  [
    'cannot be begun',
    () => {
      throw failure;
    },
  ],
  ['fails', () => Promise.reject(failure)],
])('what %s is made anew for whoever asks next', async (_, fail) => {
  const tries = [fail, async () => 'made'];
  const later = lazily(() => tries.shift()?.() ?? Promise.reject('It was made before.'));
  await expect((async () => later())()).rejects.toBe(failure);
  expect(await later()).toBe('made');
  expect(await later()).toBe('made');
});
