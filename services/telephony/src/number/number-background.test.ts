import type { NumberEvent } from '@parley/contracts';
import { createInMemoryEventStore } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import type { BackgroundParts } from '@parley/service-kit';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { type TelephonyConfig, telephonyConfig } from '../config.ts';
import { boughtNames } from './bought.fixture.ts';
import { numberCategory, numberStream } from './number.ts';
import { numberBackground } from './number-background.ts';

const failed = [...boughtNames.slice(0, 2), 'NumberPurchaseFailed.v1'];

/** The timers that a number with this history has where its account is imported. */
async function timersOf(names: readonly string[]) {
  const store = createInMemoryEventStore();
  const about = { streamId: numberStream(7), category: numberCategory, accountId: 3, metadata: testMetadata };
  await store.append({ ...about, events: golden<NumberEvent>(...names), expectedVersion: 0 });
  const [began] = await store.readStream(about.streamId);
  if (!began) throw new Error('There is no number.');
  const { standingTimers } = numberBackground({
    closing: new AbortController().signal,
    config: telephonyConfig.parse({ SANDBOX: 'true', DATABASE_URL: 'postgres://-', NATS_URL: 'nats://-' }),
    logger: createLogger({ service: 'test', level: 'silent' }),
    store,
  } as Partial<BackgroundParts<TelephonyConfig>> as BackgroundParts<TelephonyConfig>);
  const standing = standingTimers.filter(({ types }) => types.includes(began.type));
  return (await Promise.all(standing.map(({ of }) => of(began)))).flat();
}

test.each([
  ['being bought', boughtNames.slice(0, 3)],
  ['being given back', [...boughtNames, 'NumberReleaseRequested.v1', 'NumberSubscriptionCancelled.v1']],
  ['of a failed purchase that is being undone', failed],
  ['of a failed purchase that waits for its last look', [...failed, 'NumberPurchaseUndone.v1']],
])('a number %s is taken up where its account is imported', async (_, names) => {
  const payload = { number_id: 7, account_id: 3, correlation_id: testMetadata.correlationId, attempt: 0 };
  expect(await timersOf(names)).toMatchObject([{ id: 'number-work-7', due: { afterMs: 0 }, payload }]);
});

test.each([
  ['is the account’s', boughtNames],
  ['is gone', [...boughtNames, 'NumberReleaseRequested.v1', 'NumberReleased.v1']],
  ['never was', [...failed, 'NumberPurchaseUndone.v1', 'NumberPurchaseRechecked.v1']],
])('nothing is to be done about a number that %s', async (_, names) =>
  expect(await timersOf(names)).toEqual([]),
);
