import { createInMemoryEventStore, type EventStore, StoreUnavailable } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { runStarted } from '../run/advance/start-run.ts';
import { compiledDefinition } from '../run/definition.fixture.ts';
import { runIdOf, runStream } from '../run/run.ts';
import { metadataOf, progressWithoutMemory, RunLog } from './run-log.ts';

const runId = runIdOf(7, 'event-1');

/** A run that has begun, and the append of its end; `reach` is how its process reaches the store. */
async function endingRun(reach: (store: EventStore) => EventStore['append']) {
  const store = createInMemoryEventStore();
  const definition = compiledDefinition(7, { version: 1, steps: [] }, async () => ({ ok: true, output: {} }));
  const trigger = { type: 'test', eventId: 'event-1', payload: null };
  const start = { automationId: 7, version: 1, trigger, chainDepth: 0, correlationId: 'test' };
  const kept = { ref: 'trigger', bytes: 4, hash: '' };
  const at = '2026-01-01T00:00:00.000Z';
  await store.append({
    streamId: runStream(runId),
    category: 'run',
    accountId: 3,
    expectedVersion: 0,
    events: [runStarted(start, { definition, trigger: kept, at })],
    metadata: testMetadata,
  });
  const log = new RunLog({ ...store, readStream: store.readStream.bind(store), append: reach(store) });
  const requestOf = async () => {
    const loaded = await log.load(runId);
    if (!loaded) throw new Error('The run has begun.');
    const progress = progressWithoutMemory(loaded, Date.parse(at));
    progress.add({ type: 'RunSucceeded', data: { steps: 0, at } });
    return log.request(loaded, progress, { metadata: metadataOf(loaded) });
  };
  const types = async () => (await store.readStream(runStream(runId))).map(({ type }) => type);
  return { store, log, requestOf, types };
}

test('an append whose answer was lost is known for one that was written', async () => {
  let isLost = true;
  const { log, requestOf, types } = await endingRun((store) => async (request) => {
    const result = await store.append(request);
    if (!isLost) return result;
    isLost = false;
    throw new StoreUnavailable('unknown');
  });
  expect(await log.commit(await requestOf(), new AbortController().signal)).toBe(true);
  expect(await types()).toEqual(['RunStarted', 'RunSucceeded']);
});

test('an append that was not written is refused where another process was first, though nobody was told', async () => {
  let isLost = true;
  const { log, requestOf, store, types } = await endingRun((reached) => async (request) => {
    if (!isLost) return reached.append(request);
    isLost = false;
    throw new StoreUnavailable('unknown');
  });
  const [mine, ofAnother] = [await requestOf(), await requestOf()];
  await store.append(ofAnother);
  expect(await log.commit(mine, new AbortController().signal)).toBe(false);
  expect(await types()).toEqual(['RunStarted', 'RunSucceeded']);
});
