import { randomUUID } from 'node:crypto';
import { Aggregates, createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import type { Carrier } from '@parley/providers';
import type { AccountBalance } from '@parley/service-kit';
import { testMetadata } from '@parley/testing';
import { expect, test, vi } from 'vitest';
import { SmsOutbox } from './outbox.ts';
import { SmsLog } from './sms-log.ts';

const wanted = {
  accountId: 3,
  customerPhone: '+14155552671',
  body: 'Hello Ada',
  leadId: 12,
  campaignId: 5,
};

/** An account with a number, a carrier that gives no usable answer, and SMS that cost nothing. */
function outbox() {
  const store = createInMemoryEventStore();
  const sendSms = vi.fn(async () => ({ kind: 'unknown', message: 'No answer.' }) as const);
  let id = 80;
  const number = { id: 4, phone_number: '+14155550123' };
  const sms = new SmsOutbox({
    balance: undefined as unknown as AccountBalance,
    carrier: { sendSms } satisfies Pick<Carrier, 'sendSms'> as unknown as Carrier,
    closing: new AbortController().signal,
    ids: { next: async () => ++id },
    log: new SmsLog(new Aggregates(store), store),
    priceMicros: 0,
    sql: { query: async () => ({ rows: [number], rowCount: 1 }) } as unknown as SqlExecutor,
    statusUrlOf: (reference) => `https://parley.example/${reference}`,
  });
  return { sms, sendSms };
}

const causeOf = (commandId: string) => ({
  metadata: { ...testMetadata, commandId },
  command: { commandId, fingerprint: null },
});

test.each([
  ['empty', ''],
  ['blank', ' '],
  ['too long', 'x'.repeat(1_601)],
])(
  'an SMS that may have been sent is answered by that, also when its text has become %s meanwhile',
  async (_, body) => {
    const { sms, sendSms } = outbox();
    const cause = causeOf(randomUUID());
    const unknown = { kind: 'rejected', rejection: { details: { outcome: 'unknown' } } };
    expect(await sms.send(wanted, cause)).toMatchObject(unknown);
    expect(await sms.send({ ...wanted, body }, cause)).toMatchObject(unknown);
    expect(sendSms).toHaveBeenCalledTimes(1);
  },
);

test('an SMS without a text, or to no number, is refused, and may be asked for again with a good one', async () => {
  const { sms, sendSms } = outbox();
  const cause = causeOf(randomUUID());
  for (const [field, wrong] of [
    ['body', { body: ' ' }],
    ['phone_number', { customerPhone: '12' }],
  ] as const)
    expect(await sms.send({ ...wanted, ...wrong }, cause)).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'invalid', fields: { [field]: [expect.any(String)] } },
    });
  expect(sendSms).not.toHaveBeenCalled();
  await sms.send(wanted, cause);
  expect(sendSms).toHaveBeenCalledTimes(1);
});
