import type { AppendRequest, EventMetadata } from '@parley/event-store';
import { appendAtTimer, type TimerHandler } from '@parley/processing';
import { type AccountBalance, traceOf } from '@parley/service-kit';
import { z } from 'zod';
import { drop, recordUnknown } from './decisions.ts';
import { type OutgoingSms, smsCategory, smsStream } from './sms.ts';
import type { SmsLog } from './sms-log.ts';

const payloadSchema = z.object({
  sms_id: z.int(),
  account_id: z.int(),
  hold_id: z.string().nullable(),
  command_id: z.string().nullable(),
  /** Whether the carrier's time to report has run out. Absent in timers that earlier releases have set. */
  ends_silence: z.boolean().default(true),
});
type Payload = z.output<typeof payloadSchema>;

interface Parts {
  readonly log: SmsLog;
  readonly balance: AccountBalance;
}

/**
 * Timer handler for an SMS whose sending process may have died. Not yet on record: it is dropped, and its money given
 * back. On record but without an outcome: it is never handed over again, and its outcome is unknown. With an outcome:
 * its money is settled. One of which the carrier reports nothing for a day is not paid for (ADR 17).
 */
export const checkSms =
  ({ log, balance }: Parts): TimerHandler =>
  async (timer, { metadata }) => {
    const payload = payloadSchema.parse(timer.payload);
    const { state, version } = await log.load(payload.sms_id);
    if (state === null) return appendOf(drop(payload), payload, version, metadata);
    if (state.phase === 'dropped') {
      const { account_id: accountId, hold_id: holdId } = payload;
      if (holdId !== null) await balance.release({ accountId, holdId, ...traceOf(metadata) });
      return undefined;
    }
    if (state.status === 'queued')
      return appendOf(recordUnknown(state, 'Whoever sent it is gone.'), payload, version, metadata);
    // This timer was set before the outcome became unknown: the 24 hours still run.
    if (state.status === 'unknown' && !payload.ends_silence) return undefined;
    await settle(payload, state, { log, balance }, metadata);
    return undefined;
  };

function appendOf(
  outcome: ReturnType<typeof recordUnknown>,
  { sms_id, account_id: accountId }: Payload,
  expectedVersion: number,
  metadata: EventMetadata,
): AppendRequest | undefined {
  if ('code' in outcome) return undefined;
  const stream = { streamId: smsStream(sms_id), category: smsCategory, accountId, expectedVersion, metadata };
  return appendAtTimer(stream, outcome);
}

/** Charges or refunds the SMS. May be repeated: each change of a hold is effective once. */
async function settle(
  { account_id: accountId }: Payload,
  { start, status, carrierSid }: OutgoingSms,
  { log, balance }: Parts,
  metadata: EventMetadata,
): Promise<void> {
  const { sms_id, customer_phone, hold_id: holdId, price_micros: priceMicros } = start;
  const isPaid = paidFor[status];
  if (holdId !== null) {
    const hold = { accountId, holdId, ...traceOf(metadata) };
    const description = `SMS to ${customer_phone} was not delivered`;
    await (isPaid
      ? balance.capture(hold, priceMicros)
      : balance.refund(hold, { description, reference: `sms/${sms_id}` }));
  }
  const payment = isPaid ? 'charged' : 'refunded';
  if (carrierSid !== null) await log.complete(start, accountId, metadata, { carrierSid, payment });
}

const paidFor: Readonly<Record<OutgoingSms['status'], boolean>> = {
  queued: false,
  unknown: false,
  failed: false,
  sent: true,
  delivered: true,
};
