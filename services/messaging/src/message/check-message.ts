import type { AppendRequest } from '@parley/event-store';
import type { TimerContext, TimerHandler } from '@parley/processing';
import type { AccountBalance } from '@parley/service-kit';
import { z } from 'zod';
import { messageStream, type OutgoingMessage } from './message.ts';
import { requestClaim } from './message-check.ts';
import type { MessageLog } from './message-log.ts';
import { recordUnknown } from './record-outcome.ts';

const payloadSchema = z.object({
  message_id: z.int(),
  account_id: z.int(),
  hold_id: z.string().nullable(),
  command_id: z.string().nullable(),
});
type Payload = z.output<typeof payloadSchema>;

/**
 * A second look at a message whose sender may have died: what was not handed over is dropped and its money given back;
 * what was is never handed over again, its outcome is unknown until the platform tells; and what is decided is settled.
 */
export const checkMessage =
  (log: MessageLog, balance: AccountBalance): TimerHandler =>
  async (timer, context) => {
    const payload = payloadSchema.parse(timer.payload);
    const { state, version } = await log.load(payload.message_id);
    if (state === null) return drop(payload, balance, context);
    if (state.direction !== 'outbound' || state.status === 'unknown') return undefined;
    if (state.status === 'queued') return giveUpWaiting(payload, state, version, context);
    return settle(payload, state, { log, balance, context });
  };

async function drop(payload: Payload, balance: AccountBalance, { metadata }: TimerContext) {
  const { account_id: accountId, hold_id: holdId, message_id } = payload;
  if (holdId !== null) await balance.release({ accountId, holdId, correlationId: metadata.correlationId });
  return {
    streamId: messageStream(message_id),
    category: 'message',
    accountId,
    // Whoever prepares it still finds the stream begun, and does not send.
    expectedVersion: 0,
    events: [{ type: 'MessageDropped', data: { message_id } }],
    claims: requestClaim('release', payload),
    metadata,
  } satisfies AppendRequest;
}

function giveUpWaiting(
  { account_id: accountId, message_id }: Payload,
  state: OutgoingMessage,
  expectedVersion: number,
  { metadata }: TimerContext,
): AppendRequest | undefined {
  const decision = recordUnknown(state, 'Whoever sent it is gone.');
  if ('code' in decision) return undefined;
  const { events } = decision;
  const streamId = messageStream(message_id);
  return { streamId, category: 'message', accountId, expectedVersion, events, metadata };
}

/** Also for a message that was failed and paid long ago: what was done to a hold is done once. */
async function settle(
  { account_id: accountId }: Payload,
  { start, status, messageSid }: OutgoingMessage,
  { log, balance, context }: { log: MessageLog; balance: AccountBalance; context: TimerContext },
): Promise<undefined> {
  const { hold_id: holdId, price_micros: priceMicros } = start;
  const { correlationId } = context.metadata;
  if (holdId !== null) {
    const hold = { accountId, holdId, correlationId };
    await (status === 'failed' ? balance.release(hold) : balance.capture(hold, priceMicros));
  }
  if (messageSid !== null)
    await log.complete(start, accountId, context.metadata, { messageSid, isPaid: true });
}
