import type { JsonObject, TimerRequest } from '@parley/event-store';

/** What of a sender is read again at the chat platform. */
export type SyncScope = 'numbers' | 'templates';

/** Timer kinds. */
export const syncKinds = { numbers: 'sync-sender', templates: 'sync-templates' } as const;

/** How often (service-api, section 3). */
const intervalsMs = { numbers: 5 * 60_000, templates: 4 * 60 * 60_000 } as const;
/** A reading that was started and came to nothing, because its process died or the platform did not answer. */
const leaseMs = 60_000;
/** The reading that the connecting itself does comes first. */
const soonMs = 5_000;

export interface SyncedSender {
  readonly senderId: number;
  readonly accountId: number;
}

/**
 * The one timer of a sender and scope; setting it anew moves it.
 * - `interval`: what is known is fresh.
 * - `lease`: somebody is reading; when nothing comes of it, the reading is repeated.
 * - `soon`, `now`: what is known is not the newest.
 */
export const syncTimer = (
  scope: SyncScope,
  { senderId, accountId }: SyncedSender,
  due: 'interval' | 'lease' | 'soon' | 'now' = 'interval',
): TimerRequest => ({
  id: `${syncKinds[scope]}-${senderId}`,
  kind: syncKinds[scope],
  due: { afterMs: delayMs(scope, due) },
  payload: { sender_id: senderId, account_id: accountId },
});

function delayMs(scope: SyncScope, due: 'interval' | 'lease' | 'soon' | 'now'): number {
  switch (due) {
    case 'interval':
      return intervalsMs[scope];
    case 'lease':
      return leaseMs;
    case 'soon':
      return soonMs;
    case 'now':
      return 0;
    default:
      return due satisfies never;
  }
}

/** Which sender a timer is of. */
export function syncedSenderOf({ sender_id, account_id }: JsonObject): SyncedSender {
  if (typeof sender_id !== 'number' || typeof account_id !== 'number')
    throw new TypeError('A sync timer names no sender.');
  return { senderId: sender_id, accountId: account_id };
}
