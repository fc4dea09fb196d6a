import { afterEach, expect, test } from 'vitest';
import { listenForStop, type StopRequests } from './stop-requests.ts';

let requests: StopRequests;
afterEach(() => requests.dispose());

test('one Ctrl-C that arrives twice is one request; the next one forces', () => {
  let now = 0;
  requests = listenForStop(() => now);
  process.emit('SIGINT');
  now += 100;
  process.emit('SIGINT');
  expect([requests.stop.aborted, requests.force.aborted]).toEqual([true, false]);
  now += 1_000;
  process.emit('SIGTERM');
  expect(requests.force.aborted).toBe(true);
});
