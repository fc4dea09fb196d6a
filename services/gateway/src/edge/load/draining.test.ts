import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Draining } from './draining.ts';

test('what begins while the gateway is leaving already is told to leave at once', async () => {
  const draining = new Draining();
  const told: string[] = [];
  draining.onStart(() => told.push('before'));
  draining.onStart(() => told.push('gone'))();
  const started = draining.start(createServer(), 0);
  draining.onStart(() => told.push('after'));
  expect(told).toEqual(['before', 'after']);
  await started;
});
