import { randomUUID } from 'node:crypto';
import { type CallEvent, captureBalance, releaseBalance, reserveBalance, subjectOf } from '@parley/contracts';
import { createInMemoryEventStore } from '@parley/event-store';
import type { BusReply, BusRequest } from '@parley/message-bus';
import type { BackgroundParts } from '@parley/service-kit';
import { golden, testMetadata } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { type TelephonyConfig, telephonyConfig } from '../../config.ts';
import { callCategory, callStream } from '../call.ts';
import { callBackground } from '../call-background.ts';
import { paymentHold } from './charge-calls.ts';

const accountId = 3;
const endEventId = randomUUID();
const config = telephonyConfig.parse({
  SANDBOX: 'true',
  DATABASE_URL: 'postgres://-',
  NATS_URL: 'nats://-',
});

/** What accounts answers one after the other; then it does what it is asked. */
type Answers = readonly ('ok' | 'not_found' | 'hold_settled' | 'insufficient_balance')[];

interface Settling {
  readonly began?: string;
  readonly durationS?: number;
  readonly imported?: boolean;
  readonly answers?: Answers;
}

/** What becomes of a call that was over in the installation it came from: it asks accounts, and puts on record. */
async function settled({
  began = 'CallRequested.v1',
  durationS = 61,
  imported = true,
  answers = [],
}: Settling = {}) {
  const [first, ended] = golden<CallEvent>(began, 'CallEnded.v1');
  if (!first || ended?.type !== 'CallEnded') throw new Error('There is no call.');
  const { call_id } = first.data;
  const store = createInMemoryEventStore();
  const events = [
    first,
    { ...ended, eventId: endEventId, data: { ...ended.data, call_id, duration_s: durationS } },
  ];
  const metadata = { ...testMetadata, ...(imported && { imported }) };
  const about = { streamId: callStream(call_id), category: callCategory, accountId, metadata };
  await store.append({ ...about, events, expectedVersion: 0 });
  const asked: (readonly [string, unknown])[] = [];
  const bus = {
    async request({ subject, payload }: BusRequest): Promise<BusReply> {
      const code = answers[asked.length] ?? 'ok';
      asked.push([subject, JSON.parse(payload)]);
      return code === 'ok' ? { kind: 'ok', body: '{}' } : { kind: 'rejected', rejection: { code } };
    },
    close: async () => undefined,
  };
  const parts = { bus, config, store } as Partial<BackgroundParts<TelephonyConfig>>;
  const { standingTimers, timers } = callBackground(parts as BackgroundParts<TelephonyConfig>);
  const [, over] = await store.readStream(callStream(call_id));
  if (!over) throw new Error('It is not over.');
  const standing = standingTimers.filter(({ types }) => types.includes(over.type));
  const set = (await Promise.all(standing.map(({ of }) => of(over)))).flat();
  const put: CallEvent[] = [];
  for (const { id, kind, payload = {} } of set) {
    const due = { id, kind, payload, dueAt: '' };
    const append = await timers[kind]?.(due, { store, metadata: testMetadata });
    expect(append).toMatchObject({ streamId: callStream(call_id), accountId, expectedVersion: 2 });
    put.push(...((append?.events ?? []) as CallEvent[]));
  }
  return { asked, put, ends: standing.map(({ endedBy }) => endedBy) };
}

test('a call that was over and not charged when its account was exported is charged where it was imported', async () => {
  const { asked, put, ends } = await settled();
  const [requested] = golden<CallEvent>('CallRequested.v1');
  if (requested?.type !== 'CallRequested') throw new Error('Another golden file.');
  const { call_id, hold_id, price_per_minute_micros } = requested.data;
  const amount_micros = 2 * price_per_minute_micros;
  expect(put).toEqual([{ type: 'CallCharged', data: { call_id, amount_micros, minutes: 2 } }]);
  expect(asked).toEqual([[subjectOf(captureBalance), { account_id: accountId, hold_id, amount_micros }]]);
  expect(ends).toEqual([['CallCharged', 'CallNotCharged']]);
});

test('one that nobody answered gives back what was reserved for it', async () => {
  const { asked, put } = await settled({ durationS: 0 });
  expect(put).toMatchObject([{ type: 'CallCharged', data: { amount_micros: 0 } }]);
  expect(asked).toMatchObject([[subjectOf(releaseBalance), { account_id: accountId }]]);
});

describe('one that came in', () => {
  const began = 'CallArrived.v1';
  const [capture, reserve] = [subjectOf(captureBalance), subjectOf(reserveBalance)];
  const about = { account_id: accountId, hold_id: paymentHold(endEventId) };

  test('and is not paid in the ledger that came along is paid', async () => {
    const { asked, put } = await settled({ began, answers: ['not_found'] });
    expect(put).toMatchObject([{ type: 'CallCharged', data: { minutes: 2 } }]);
    expect(asked.map(([subject]) => subject)).toEqual([capture, reserve, capture]);
    for (const [, payload] of asked) expect(payload).toMatchObject(about);
  });

  test.each(['hold_settled', 'ok'] as const)(
    'and is in the ledger that came along is not paid twice (%s)',
    async (answer) => {
      const { asked, put } = await settled({ began, answers: [answer] });
      expect(put).toMatchObject([{ type: 'CallCharged', data: { minutes: 2 } }]);
      expect(asked).toMatchObject([[capture, about]]);
    },
  );

  test.each(['ok', 'not_found'] as const)(
    'and was hung up long ago has cost no more minutes than it can have lasted (%s)',
    async (answer) => {
      const { put } = await settled({ began, durationS: 74_000, answers: [answer] });
      expect(put).toMatchObject([{ type: 'CallCharged', data: { amount_micros: 1_200_000, minutes: 12 } }]);
    },
  );

  test('and that there is no money for is on record as not charged', async () => {
    const { put } = await settled({ began, answers: ['not_found', 'insufficient_balance'] });
    expect(put).toMatchObject([{ type: 'CallNotCharged' }]);
  });

  test('and was answered by nobody costs nothing', async () => {
    const { asked, put } = await settled({ began, durationS: 0 });
    expect(put).toMatchObject([{ type: 'CallCharged', data: { amount_micros: 0 } }]);
    expect(asked).toEqual([]);
  });
});

test('one that was over here is left as it is', async () => {
  expect(await settled({ imported: false })).toMatchObject({ asked: [], put: [] });
});
