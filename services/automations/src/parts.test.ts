import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import { createActions } from './parts.ts';

const context = {
  accountId: 1,
  automationId: 1,
  runId: 'run',
  correlationId: 'request',
  causationId: 'event',
  chainDepth: 0,
  effectKey: 'key',
  freshStarts: 0,
  connection: null,
  now: '2026-11-21T09:30:00.000Z',
  signal: new AbortController().signal,
};

/** What a step puts out whose request is answered with a list of so many numbers. */
async function outputFor(numbers: number) {
  const url = await startLocalServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.from({ length: numbers }, () => 12_345)));
  });
  const nobody = {
    request: () => Promise.reject(new Error('Nobody is asked.')),
    close: async () => undefined,
  };
  const actions = createActions(nobody, { ALLOW_LOOPBACK_REQUESTS: true });
  return actions['http.request'].run({ method: 'GET', url }, context);
}

test('an answer is read as far as it fits into what a step puts out: JSON of 250 KB is JSON', async () => {
  expect(await outputFor(42_000)).toMatchObject({ output: { body: { length: 42_000 } } });
  expect(await outputFor(45_000)).toMatchObject({ output: { body: expect.any(String), body_cut: true } });
});
