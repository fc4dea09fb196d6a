import { randomUUID } from 'node:crypto';
import {
  Aggregates,
  createInMemoryEventStore,
  type SqlExecutor,
  type SqlQuery,
  StoreUnavailable,
} from '@parley/event-store';
import type { Carrier } from '@parley/providers';
import type { AccountBalance } from '@parley/service-kit';
import { testMetadata } from '@parley/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SmsOutbox } from './outbox.ts';
import { SmsLog } from './sms-log.ts';

const wanted = {
  accountId: 3,
  customerPhone: '+14155552671',
  body: 'Hello Ada',
  leadId: 12,
  campaignId: 5,
  notAfter: null as string | null,
};

const now = new Date('2026-11-20T16:00:00Z');

type Handed = Awaited<ReturnType<Carrier['sendSms']>>;

/** An account with a number, a carrier that gives no usable answer unless told, and SMS that cost nothing. */
function outbox(
  handed: Handed = { kind: 'unknown', message: 'No answer.' },
  clock = { now: async () => now },
  onLookUp = (): void => undefined,
) {
  const store = createInMemoryEventStore();
  const sendSms = vi.fn<Carrier['sendSms']>(async () => handed);
  let id = 80;
  const number = { id: 4, phone_number: '+14155550123' };
  const sql = {
    async query({ name }: SqlQuery) {
      onLookUp();
      return { rows: [name === 'claim-owner' ? { owner: `sms-${id}` } : number], rowCount: 1 };
    },
  };
  const sms = new SmsOutbox({
    balance: undefined as unknown as AccountBalance,
    clock,
    carrier: { sendSms } satisfies Pick<Carrier, 'sendSms'> as unknown as Carrier,
    closing: new AbortController().signal,
    ids: { next: async () => ++id },
    log: new SmsLog(new Aggregates(store), store),
    segmentPriceMicros: 0,
    sql: sql as unknown as SqlExecutor,
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

test('an SMS without a text, with one that no carrier takes, or to no number, is refused, and may be asked for again with a good one', async () => {
  const { sms, sendSms } = outbox();
  const cause = causeOf(randomUUID());
  for (const [field, wrong] of [
    ['body', { body: ' ' }],
    ['body', { body: 'x'.repeat(1_601) }],
    ['phone_number', { customerPhone: '12' }],
  ] as const)
    expect(await sms.send({ ...wanted, ...wrong }, cause)).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'invalid', fields: { [field]: [expect.any(String)] } },
    });
  expect(sendSms).not.toHaveBeenCalled();
  await sms.send({ ...wanted, body: 'x'.repeat(1_600) }, cause);
  expect(sendSms).toHaveBeenCalledTimes(1);
});

test('what has been sent for a command is told to its account, and to no other', async () => {
  const { sms } = outbox({ kind: 'ok', value: { sid: 'SM1' } });
  const cause = causeOf(randomUUID());
  await sms.send(wanted, cause);
  const { commandId } = cause.command;
  expect([await sms.sentFor(commandId, 3), await sms.sentFor(commandId, 4)]).toEqual([81, null]);
});

test.each([
  [null, null],
  ['2026-11-20T16:30:00.000Z', 1_800],
  ['2026-11-20T16:00:01.900Z', 1],
])('what is not to be sent after %s, the carrier may keep for %j seconds', async (notAfter, seconds) => {
  const { sms, sendSms } = outbox({ kind: 'rejected', code: null, message: 'No.' });
  await sms.send({ ...wanted, notAfter }, causeOf(randomUUID()));
  expect(sendSms).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ validForSeconds: seconds }));
});

test('after its time an SMS is not handed over any more, and its campaign takes the lead back', async () => {
  const { sms, sendSms } = outbox();
  const late = { ...wanted, notAfter: '2026-11-20T16:00:00.900Z' };
  expect(await sms.send(late, causeOf(randomUUID()))).toMatchObject({
    kind: 'rejected',
    rejection: { message: 'The window has closed.', retryAfterSeconds: 1 },
  });
  expect(sendSms).not.toHaveBeenCalled();
});

test('an SMS whose time ends while it is put on record is sent within a second', async () => {
  const since = performance.now();
  let passedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => since + passedMs);
  onTestFinished(() => clock.mockRestore());
  const { sms, sendSms } = outbox({ kind: 'rejected', code: null, message: 'No.' }, undefined, () => {
    passedMs = 5_000;
  });
  await sms.send({ ...wanted, notAfter: '2026-11-20T16:00:02.000Z' }, causeOf(randomUUID()));
  expect(sendSms).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ validForSeconds: 1 }));
});

test('an SMS that is on record is handed over though the database does not tell the time any more', async () => {
  const clock = { now: vi.fn<() => Promise<Date>>(async () => now) };
  const { sms, sendSms } = outbox({ kind: 'rejected', code: null, message: 'No.' }, clock);
  clock.now.mockResolvedValueOnce(now).mockRejectedValue(new StoreUnavailable('not-written'));
  await sms.send({ ...wanted, notAfter: '2026-11-20T16:30:00.000Z' }, causeOf(randomUUID()));
  expect(sendSms).toHaveBeenCalledTimes(1);
});
