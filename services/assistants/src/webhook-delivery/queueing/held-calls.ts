import { setTimeout as sleep } from 'node:timers/promises';
import type { AppendRequest, EventMetadata, SqlExecutor } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { type TimerHandler, withOrigin } from '@parley/processing';
import { z } from 'zod';

/** The kind of the timer of each call whose webhooks wait for its recording. */
const kind = 'held-call-webhooks';
/** How long a recording is waited for: one that LiveKit has not told of by then does not come. */
const longestMs = 2 * 60_000;

/** How long a timer is waited for: other timers wait meanwhile. */
const patienceMs = 1_000;

const payload = z.object({
  account_id: z.int(),
  call_id: z.int(),
  /**
   * Position of the call's end in telephony's log. What the call was about is read there and not copied, so that it can
   * be erased.
   */
  position: z.int(),
});

/** A call that has ended and whose webhooks wait for its recording. */
export type HeldCall = z.output<typeof payload>;

const timerId = (callId: number): string => `${kind}:${callId}`;

const append = ({ account_id, call_id }: HeldCall, metadata: EventMetadata) => ({
  streamId: timerId(call_id),
  category: kind,
  accountId: account_id,
  events: [],
  expectedVersion: 'any' as const,
  metadata,
});

/** Holds a call: sets the timer that ends the wait for its recording. */
export const holdCall = (call: HeldCall, metadata: EventMetadata): AppendRequest => ({
  ...append(call, metadata),
  timers: withOrigin(
    [{ id: timerId(call.call_id), kind, due: { afterMs: longestMs }, payload: call }],
    call.account_id,
    metadata,
  ),
});

/** The call's webhooks are queued: cancels its timer. */
export const letGo = (call: HeldCall, metadata: EventMetadata): AppendRequest => ({
  ...append(call, metadata),
  cancelTimers: [timerId(call.call_id)],
});

/** The held call; undefined when it is not held, or no more. */
export async function findHeldCall(sql: SqlExecutor, callId: number): Promise<HeldCall | undefined> {
  const { rows } = await sql.query<{ payload: unknown }>({
    name: 'held-call',
    text: 'select payload from es.timers where id = $1',
    values: [timerId(callId)],
  });
  return rows[0] && payload.parse(rows[0].payload);
}

/**
 * Queues a held call's webhooks once its recording was waited for in vain. What takes longer than `patienceMs` goes on
 * by itself, and its timer is tried again. Meanwhile all others are put off at once: telephony hangs, and each round of
 * timers would wait for it anew.
 */
export function heldCallTimer(
  queue: (call: HeldCall, metadata: EventMetadata) => Promise<void>,
): Record<typeof kind, TimerHandler> {
  const putOff = () => new ServiceUnavailable('The webhooks of a call are not queued yet.');
  let goingOn = 0;
  return {
    [kind]: async (timer, { metadata }) => {
      if (goingOn > 0) throw putOff();
      const queued = queue(payload.parse(timer.payload), metadata);
      queued.catch(() => undefined);
      const late = sleep(patienceMs, 'late', { ref: false });
      if ((await Promise.race([queued, late])) !== 'late') return undefined;
      goingOn += 1;
      const ended = () => {
        goingOn -= 1;
      };
      queued.then(ended, ended);
      throw putOff();
    },
  };
}
