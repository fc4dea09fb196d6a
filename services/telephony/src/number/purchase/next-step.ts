import type { OneNumber } from '../number.ts';

/** The next step of a purchase or a release; each ends in one event. */
export type Step =
  | 'price'
  | 'subscribe'
  | 'provision'
  | 'complete'
  | 'cancel-subscription'
  | 'return'
  | 'finish-undoing'
  | 'recheck'
  | 'finish-release';

/**
 * The next step, by the number's state alone, so that whoever takes over goes on where the work stopped; null when
 * nothing is left to do.
 */
export function nextStep(number: OneNumber): Step | null {
  switch (number.phase) {
    case 'buying':
      if (!number.price) return 'price';
      if (number.subscriptionId === null) return 'subscribe';
      return number.carrierSid === null ? 'provision' : 'complete';
    case 'undoing':
      return leaving(number) ?? 'finish-undoing';
    case 'undone':
      return number.isRechecked ? null : 'recheck';
    case 'releasing':
      return leaving(number) ?? 'finish-release';
    case 'owned':
    case 'released':
      return null;
    default:
      return number.phase satisfies never;
  }
}

function leaving({ isCancelled, isReturned }: OneNumber): Step | null {
  if (!isCancelled) return 'cancel-subscription';
  return isReturned ? null : 'return';
}
