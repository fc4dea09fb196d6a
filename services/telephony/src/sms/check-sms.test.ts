import { type SmsEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { BusRequest } from '@parley/message-bus';
import { AccountBalance } from '@parley/service-kit';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { checkSms } from './check-sms.ts';
import { recordUnknown } from './decisions.ts';
import { smsCategory, smsStream } from './sms.ts';
import { checkUnlessRenewed } from './sms-check.ts';
import { SmsLog } from './sms-log.ts';

const accountId = 3;

/** An SMS of which nobody knows whether the carrier took it, and what accounts is asked for when a timer of it fires. */
async function unknownSms() {
  const store = createInMemoryEventStore();
  const [started] = golden<SmsEvent>('SmsSendStarted.v1');
  if (started?.type !== 'SmsSendStarted') throw new Error('There is no SMS.');
  const { data: start } = started;
  const at = { streamId: smsStream(start.sms_id), category: smsCategory, accountId, metadata };
  await store.append({ ...at, events: [started], expectedVersion: 0 });
  const log = new SmsLog(new Aggregates(store), store);
  await log.change(start.sms_id, accountId, metadata, (state) => recordUnknown(state, 'No answer.'));
  const asked: string[] = [];
  const bus = {
    async request({ subject }: BusRequest) {
      asked.push(subject.split('.').at(-1) ?? '');
      return { kind: 'ok', body: '{}' } as const;
    },
    close: async () => undefined,
  };
  const check = checkSms({ log, balance: new AccountBalance(bus, 'telephony') });
  const fire = async (timer: { readonly id: string; readonly kind: string; readonly payload: object }) => {
    const due = {
      ...timer,
      dueAt: '2026-11-21T09:30:00.000Z',
      payload: { ...timer.payload, account_id: accountId },
    };
    expect(await check(due, { store, metadata })).toBeUndefined();
    return asked;
  };
  return { start, fire, timers: store.timers() };
}

test('an SMS of which the carrier never tells is not paid for', async () => {
  const { fire, timers } = await unknownSms();
  const [timer] = timers;
  if (!timer) throw new Error('Nobody looks again.');
  expect(await fire(timer)).toEqual(['refund-balance']);
});

test('a silence that was waited for before timers said so ends as well', async () => {
  const { start, fire } = await unknownSms();
  const { sms_id, hold_id, command_id } = start;
  const timer = { ...checkUnlessRenewed(start), payload: { sms_id, hold_id, command_id } };
  expect(await fire(timer)).toEqual(['refund-balance']);
});

test('a check that was due while the outcome became unknown leaves the carrier its time', async () => {
  const { start, fire } = await unknownSms();
  expect(await fire(checkUnlessRenewed(start))).toEqual([]);
});
