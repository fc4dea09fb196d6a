import {
  type NumberEvent,
  type OperationSuccess,
  type Rejection,
  reject,
  type updatePhoneNumber,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { PhoneNumber } from './number.ts';
import { toPurchased } from './purchase/purchase-answer.ts';

/** Sets the nickname (null: none); succeeds without an event when it has it already. */
export function renameNumber(
  state: PhoneNumber,
  nickname: string | null,
): Decision<NumberEvent, OperationSuccess<typeof updatePhoneNumber>> | Rejection {
  if (state?.phase !== 'owned') return reject('not_found');
  return {
    events: nickname === state.nickname ? [] : [{ type: 'NumberRenamed', data: { nickname } }],
    reply: { message: 'Phone number updated successfully', data: { ...toPurchased(state), nickname } },
  };
}
