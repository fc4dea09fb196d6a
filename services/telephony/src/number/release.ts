import { type NumberEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { PhoneNumber } from './number.ts';
import { workTimer } from './purchase/work-timer.ts';
import { graceTimerId } from './subscription/grace-timer.ts';

type Reason = Extract<NumberEvent, { type: 'NumberReleaseRequested' }>['data']['reason'];

/** Releases a number: it is no longer the account's at once; the timer has the providers told. */
export function requestRelease(
  state: PhoneNumber,
  reason: Reason,
  { accountId, correlationId }: { readonly accountId: number; readonly correlationId: string },
): Decision<NumberEvent, { readonly message: string }> | Rejection {
  if (state?.phase !== 'owned') return reject('not_found');
  const { id } = state;
  return {
    events: [{ type: 'NumberReleaseRequested', data: { number_id: id, reason } }],
    timers: [
      workTimer({ number_id: id, account_id: accountId, correlation_id: correlationId, attempt: 0 }, 'now'),
    ],
    cancelTimers: [graceTimerId(id)],
    reply: { message: 'Phone number released successfully' },
  };
}
