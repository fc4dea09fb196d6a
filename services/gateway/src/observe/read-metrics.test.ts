import { expect, test } from 'vitest';
import { createMetricsReader } from './read-metrics.ts';

test('metrics are made for a tenth of the time, however often and by how many they are asked for', async () => {
  let ms = 0;
  let made = 0;
  let takeMs = 10;
  const registry = {
    async metrics() {
      made += 1;
      await undefined;
      ms += takeMs;
      return `made ${made}`;
    },
  };
  const read = createMetricsReader(registry, () => ms);
  expect(await Promise.all([read(), read()])).toEqual(['made 1', 'made 1']);
  ms += 89;
  expect(await read()).toBe('made 1');
  ms += 1;
  expect(await read()).toBe('made 2');
  takeMs = 5_000;
  ms += 90;
  await read();
  ms += 1_000;
  expect(await read()).toBe('made 4');
});
