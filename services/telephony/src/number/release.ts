import { type NumberEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { graceTimerId } from './grace-timer.ts';
import type { PhoneNumber } from './number.ts';
import { workTimer } from './work-timer.ts';

type Reason = Extract<NumberEvent, { type: 'NumberReleaseRequested' }>['data']['reason'];

/** No longer the account's from this moment; the providers are told by whoever takes up the work. */
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
