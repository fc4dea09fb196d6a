import type { AppendRequest } from '@parley/event-store';
import { appendAtTimer, type TimerContext, type TimerHandler } from '@parley/processing';
import { type AccountBalance, traceOf } from '@parley/service-kit';
import { z } from 'zod';
import type { Conversations } from '../../conversation/conversations.ts';
import type { Recipients } from '../../recipients/recipients.ts';
import {
  dropped,
  messageCategory,
  messageStream,
  type OutgoingMessage,
  type StartedSend,
} from '../message.ts';
import type { MessageLog } from '../message-log.ts';
import { dropMessage } from './drop-message.ts';
import { recordUnknown } from './record-outcome.ts';

const payloadSchema = z.object({
  message_id: z.int(),
  account_id: z.int(),
  hold_id: z.string().nullable(),
  command_id: z.string().nullable(),
  /** Whether the platform's time to report has run out. Absent in timers that earlier releases have set. */
  ends_silence: z.boolean().default(true),
});
type Payload = z.output<typeof payloadSchema>;

interface Parts {
  readonly log: MessageLog;
  readonly balance: AccountBalance;
  readonly conversations: Conversations;
  readonly recipients: Pick<Recipients, 'hasPlace'>;
}

/**
 * Timer handler for a message whose sending process may have died. Not yet on record: it is dropped, and its money
 * given back. On record but without an outcome: it is never handed over again, and its outcome is unknown. With an
 * outcome: its money is settled. One of which the platform reports nothing for a day is not paid for (ADR 17).
 */
export const checkMessage =
  (parts: Parts): TimerHandler =>
  async (timer, context) => {
    const payload = payloadSchema.parse(timer.payload);
    const { state, version } = await parts.log.load(payload.message_id);
    if (state === null) return appendOf(dropMessage(payload), payload, version, context);
    if (state.direction === 'dropped') return giveBack(payload, parts, version, context);
    if (state.direction !== 'outbound') return undefined;
    if (state.status === 'queued')
      return appendOf(recordUnknown(state, 'Whoever sent it is gone.'), payload, version, context);
    // This timer was set before the outcome became unknown: the 24 hours still run.
    if (state.status === 'unknown' && !payload.ends_silence) return undefined;
    return settle(payload, state, parts, context);
  };

/**
 * Returns the money of a dropped message. It is dropped once more if it has taken a place of the messaging limit since.
 */
async function giveBack(
  payload: Payload,
  { balance, recipients }: Parts,
  version: number,
  context: TimerContext,
): Promise<AppendRequest | undefined> {
  const { account_id: accountId, hold_id: holdId, message_id: messageId } = payload;
  if (holdId !== null) await balance.release({ accountId, holdId, ...traceOf(context.metadata) });
  if (!(await recipients.hasPlace(messageId))) return undefined;
  return appendOf({ events: [dropped(payload)], reply: '{}' }, payload, version, context);
}

function appendOf(
  decision: ReturnType<typeof recordUnknown>,
  { account_id: accountId, message_id }: Payload,
  expectedVersion: number,
  { metadata }: TimerContext,
): AppendRequest | undefined {
  if ('code' in decision) return undefined;
  const streamId = messageStream(message_id);
  // A sending process that still prepares it finds the stream begun, and does not send.
  const stream = { streamId, category: messageCategory, accountId, expectedVersion, metadata };
  return appendAtTimer(stream, decision);
}

/** Charges or refunds the message. May be repeated: each change of a hold is effective once. */
async function settle(
  { account_id: accountId }: Payload,
  { start, status, messageSid }: OutgoingMessage,
  { log, balance, conversations }: Parts,
  { metadata }: TimerContext,
): Promise<undefined> {
  const { hold_id: holdId, price_micros: priceMicros } = start;
  const payment = paymentFor(status);
  if (holdId !== null) {
    const hold = { accountId, holdId, ...traceOf(metadata) };
    await (payment === 'charged'
      ? balance.capture(hold, priceMicros)
      : balance.refund(hold, refundOf(start)));
  }
  if (payment === 'charged') await conversations.takeOver(start, accountId, metadata);
  if (messageSid !== null) await log.complete(start, accountId, metadata, { messageSid, payment });
}

const paymentFor = (status: OutgoingMessage['status']) =>
  status === 'failed' || status === 'unknown' ? 'refunded' : 'charged';

const refundOf = ({ message_id, contact_phone }: StartedSend) => ({
  description: `Message to ${contact_phone} was not delivered`,
  reference: `message/${message_id}`,
});
