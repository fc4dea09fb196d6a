import type { RunEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { run } from '../run/fold-run.ts';
import type { LoadedRun } from './run-log.ts';
import { RunMemories } from './run-memory.ts';

function runOf(...names: readonly string[]): LoadedRun {
  const state = golden<RunEvent>(...names).reduce(run.evolve, run.initialState);
  if (!state) throw new Error('A run has a beginning.');
  return {
    run: state,
    version: 1,
    accountId: 3,
    correlationId: 'request-1',
    chainDepth: 0,
    attemptId: null,
    isImported: false,
    beganElsewhere: false,
  };
}

test('what many ask for at the same time is remembered once, and stays so', async () => {
  const text = JSON.stringify('x'.repeat(4 * 1024 * 1024));
  let reads = 0;
  const payloads: Partial<PayloadStore> = {
    async read(_owner, refs) {
      reads += refs.length;
      return refs.map(() => text);
    },
  };
  const memories = new RunMemories(payloads as PayloadStore);
  const loaded = runOf('RunStarted.v1');
  await Promise.all(Array.from({ length: 20 }, () => memories.of(loaded)));
  const before = reads;
  await memories.of(loaded);
  expect(reads).toBe(before);
});

test('what is known of a run stays known to who reads the rest of it, though it is forgotten for others meanwhile', async () => {
  const triggerRef = runOf('RunStarted.v1').run.trigger.payload.ref;
  const output = Promise.withResolvers<string>();
  const payloads: Partial<PayloadStore> = {
    read: async (_owner, [ref]) => [ref === triggerRef ? '{"n":1}' : await output.promise],
    async keep() {},
  };
  const memories = new RunMemories(payloads as PayloadStore);
  await memories.of(runOf('RunStarted.v1'));
  const reading = memories.of(runOf('RunStarted.v1', 'StepStarted.v1', 'StepSucceeded.v1'));
  const large = (ref: string) => ({ ref, text: 'x'.repeat(17 * 1024 * 1024) });
  await memories.keep(runOf('RunStarted.v1'), [large('one'), large('other')]);
  output.resolve('{"n":2}');
  expect(await reading).toEqual({ trigger: { n: 1 }, outputs: new Map([['send', { n: 2 }]]) });
});
