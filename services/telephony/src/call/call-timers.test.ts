import { type CallEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from './call.ts';
import { CallLog } from './call-log.ts';
import { hangUpOverdue } from './call-timers.ts';

const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

/** What comes of hanging up an overdue call, by what the platform answers. */
async function hangUp(answer: ProviderResult<undefined>) {
  const store = createInMemoryEventStore();
  const [arrived] = golden<CallEvent>('CallArrived.v1');
  if (!arrived) throw new Error('There is no call.');
  const { call_id } = arrived.data;
  const events = [arrived, { type: 'CallDeadlinePassed', data: { call_id } } as const];
  const streamId = callStream(call_id);
  await store.append({
    streamId,
    category: callCategory,
    accountId: 3,
    events,
    expectedVersion: 0,
    metadata,
  });
  const [, overdue] = await store.readStream(streamId);
  if (!overdue) throw new Error('It is not overdue.');
  const platform = { hangUp: async () => answer } as Partial<VoicePlatform> as VoicePlatform;
  const reactor = hangUpOverdue({ log: new CallLog(new Aggregates(store)), platform });
  const signal = new AbortController().signal;
  return reactor.react(overdue, { store, metadata, effectId: () => '', attempt: 1, signal });
}

test.each(['unavailable', 'unknown'] as const)(
  'an overdue call is hung up again after an outcome that is %s',
  (kind) => expect(hangUp({ kind, message: 'no answer' })).rejects.toThrow('no answer'),
);

test.each<ProviderResult<undefined>>([
  { kind: 'ok', value: undefined },
  { kind: 'rejected', code: 'invalid_argument', message: 'no' },
])('an overdue call is hung up once when the platform answers %j', (answer) =>
  expect(hangUp(answer)).resolves.toBeUndefined(),
);
