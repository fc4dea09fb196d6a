import type { RunEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { run } from '../run/fold-run.ts';
import type { LoadedRun } from './run-log.ts';
import { RunMemories } from './run-memory.ts';

/** A run of which only the trigger is known. */
function newRun(): LoadedRun {
  const [started] = golden<RunEvent>('RunStarted.v1');
  const state = started && run.evolve(run.initialState, started);
  if (!state) throw new Error('A run has a beginning.');
  return { run: state, version: 1, accountId: 3, correlationId: 'request-1', attemptId: null };
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
  const loaded = newRun();
  await Promise.all(Array.from({ length: 20 }, () => memories.of(loaded)));
  const before = reads;
  await memories.of(loaded);
  expect(reads).toBe(before);
});
