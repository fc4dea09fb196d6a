import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { bought } from '../bought.fixture.ts';
import { numberCategory, numberStream } from '../number.ts';
import type { Step } from './next-step.ts';
import { NumberWork } from './number-work.ts';
import type { ProviderSteps } from './provider-steps.ts';

const work = { number_id: 7, account_id: 3, correlation_id: 'request-1', attempt: 0 };

/** What is on record of a number after work on it, whose steps come to `take`; and what is left to be done. */
async function worked(
  history: readonly NumberEvent[],
  take: (step: Step, record: (...events: readonly NumberEvent[]) => Promise<unknown>) => Promise<NumberEvent>,
) {
  const store = createInMemoryEventStore();
  const stream = { streamId: numberStream(7), category: numberCategory, accountId: 3, metadata };
  const record = (...events: readonly NumberEvent[]) =>
    store.append({ ...stream, events, expectedVersion: 'any' });
  await record(...history);
  const steps: Pick<ProviderSteps, 'take'> = { take: (step) => take(step, record) };
  const { signal } = new AbortController();
  await new NumberWork(new Aggregates(store), steps as ProviderSteps, { warn: () => {} }, signal).drive(
    work,
    metadata,
  );
  const types = (await store.readStream(stream.streamId)).map(({ type }) => type);
  return { types: types.slice(history.length), timers: store.timers() };
}

const [failed, cancelled, returned, undone] = golden<NumberEvent>(
  'NumberPurchaseFailed.v1',
  'NumberSubscriptionCancelled.v1',
  'NumberReturned.v1',
  'NumberPurchaseUndone.v1',
);
if (!failed || !cancelled || !returned || !undone) throw new Error('Other golden files.');

test('whoever was slower than another process puts nothing on record of a purchase that is complete by then', async () => {
  const [subscribed, complete] = [bought.slice(0, 3), bought.slice(3)];
  const { types } = await worked(subscribed, async (step, record) => {
    expect(step).toBe('provision');
    await record(...complete);
    return failed;
  });
  expect(types).toEqual(complete.map(({ type }) => type));
});

test('a purchase that failed before it had a price has asked no provider for anything, and needs no last look', async () => {
  const byStep: Partial<Record<Step, NumberEvent>> = {
    'cancel-subscription': cancelled,
    return: returned,
    'finish-undoing': undone,
  };
  const take = async (step: Step) => byStep[step] ?? expect.unreachable(step);
  const { types, timers } = await worked([...bought.slice(0, 1), failed], take);
  expect(types.at(-1)).toBe('NumberPurchaseUndone');
  expect(timers).toEqual([]);
});
