import type { CallEvent } from '@parley/contracts';
import { createInMemoryEventStore } from '@parley/event-store';
import type { BackgroundParts } from '@parley/service-kit';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { type TelephonyConfig, telephonyConfig } from '../config.ts';
import { callCategory, callStream } from './call.ts';
import { callBackground } from './call-background.ts';
import { readCallTimer } from './timers/call-timer.ts';

/** The timers that a call with this history has where its account is imported. */
async function timersOf(names: readonly string[]) {
  const events = golden<CallEvent>(...names);
  const store = createInMemoryEventStore();
  const streamId = callStream(events[0]?.data.call_id ?? 0);
  const about = { streamId, category: callCategory, accountId: 3, metadata: testMetadata };
  await store.append({ ...about, events, expectedVersion: 0 });
  const [began] = await store.readStream(streamId);
  if (!began) throw new Error('There is no call.');
  const { standingTimers } = callBackground({
    config: telephonyConfig.parse({ SANDBOX: 'true', DATABASE_URL: 'postgres://-', NATS_URL: 'nats://-' }),
    store,
  } as Partial<BackgroundParts<TelephonyConfig>> as BackgroundParts<TelephonyConfig>);
  const standing = standingTimers.filter(({ types }) => types.includes(began.type));
  return (await Promise.all(standing.map(({ of }) => of(began)))).flat();
}

test.each([[['CallRequested.v1']], [['CallRequested.v1', 'CallDialed.v1']], [['CallArrived.v1']]])(
  'a call that was on its way when its account was exported (%j) is closed once it can last no longer',
  async (names) => {
    const [timer, ...more] = await timersOf(names);
    expect([timer?.kind, timer?.due, more]).toEqual(['call-deadline', { afterMs: 720_000 }, []]);
    expect(readCallTimer(timer?.payload ?? {})).toMatchObject({ accountId: 3 });
  },
);

test.each([['CallEnded.v1'], ['CallDropped.v1']])('one that is over (%s) stays as it is', async (name) =>
  expect(await timersOf(['CallRequested.v1', name])).toEqual([]),
);
