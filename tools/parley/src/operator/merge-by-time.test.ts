import { expect, test } from 'vitest';
import { mergeByTime } from './merge-by-time.ts';

async function* log(service: string, times: readonly string[]) {
  for (const recorded_at of times) yield { service, recorded_at };
}

test('several logs become one, by time; equal times keep the order of the logs', async () => {
  const merged: string[] = [];
  const logs = [log('a', ['01', '03', '05']), log('b', []), log('c', ['02', '03', '04'])];
  for await (const { service, recorded_at } of mergeByTime(logs)) merged.push(`${recorded_at}${service}`);
  expect(merged).toEqual(['01a', '02c', '03a', '03c', '04c', '05a']);
});
