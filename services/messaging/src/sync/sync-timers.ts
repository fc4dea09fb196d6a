import { SenderConnected } from '@parley/contracts';
import type { JsonObject, TimerRequest } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';

/** What of a sender is read regularly at the chat platform: its number, or its templates. */
export type SyncScope = 'numbers' | 'templates';

/** Timer kinds. */
export const syncKinds = { numbers: 'sync-sender', templates: 'sync-templates' } as const;

/** Milliseconds between readings (service-api, section 3). */
const intervalsMs = { numbers: 5 * 60_000, templates: 4 * 60 * 60_000 } as const;
/** Milliseconds to the first reading of templates by timer, which `FirstReading` makes unnecessary most often. */
export const soonMs = 5_000;

export interface SyncedSender {
  readonly senderId: number;
  readonly accountId: number;
}

const syncTimerId = (scope: SyncScope, senderId: number): string => `${syncKinds[scope]}-${senderId}`;

/** Of all timers of a sender. */
export const syncTimerIds = (senderId: number): readonly string[] => [
  syncTimerId('numbers', senderId),
  syncTimerId('templates', senderId),
];

/**
 * The one timer of a sender and scope; setting it again moves it. `interval`: what is known is fresh. `soon`, `now`: it
 * is not.
 */
export const syncTimer = (
  scope: SyncScope,
  { senderId, accountId }: SyncedSender,
  due: 'interval' | 'soon' | 'now' = 'interval',
): TimerRequest => ({
  id: syncTimerId(scope, senderId),
  kind: syncKinds[scope],
  due: { afterMs: delayMs(scope, due) },
  payload: { sender_id: senderId, account_id: accountId },
});

/**
 * Each sender has both timers while it is connected: set anew where its account was imported, where the first reading
 * takes away those of one that is not.
 */
export const syncTimers: StandingTimers = {
  types: [SenderConnected.type],
  of({ accountId, data }) {
    const synced = { senderId: SenderConnected.data.parse(data).sender_id, accountId: accountId ?? 0 };
    return [syncTimer('numbers', synced), syncTimer('templates', synced)];
  },
};

/** The timer as a reading's lease: if no result is recorded until then (ISO 8601), the reading is repeated. */
export const leaseTimer = (scope: SyncScope, synced: SyncedSender, until: string): TimerRequest => ({
  ...syncTimer(scope, synced),
  due: { at: until },
});

function delayMs(scope: SyncScope, due: 'interval' | 'soon' | 'now'): number {
  switch (due) {
    case 'interval':
      return intervalsMs[scope];
    case 'soon':
      return soonMs;
    case 'now':
      return 0;
    default:
      return due satisfies never;
  }
}

/** The sender in a timer's payload. */
export function syncedSenderOf({ sender_id, account_id }: JsonObject): SyncedSender {
  if (typeof sender_id !== 'number' || typeof account_id !== 'number')
    throw new TypeError('A sync timer names no sender.');
  return { senderId: sender_id, accountId: account_id };
}
