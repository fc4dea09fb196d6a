import type { WebhookBackfillEvent, WebhookKind } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** The newest back-fill of an account's webhooks of one kind since one moment; null before the first. */
export type Backfill = {
  readonly backfill_id: string;
  readonly event: WebhookKind;
  readonly since: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
  /** Whether all of its webhooks were handed to their deliveries. */
  readonly is_finished: boolean;
} | null;

export const backfillCategory = 'webhook-backfill';

/**
 * The stream of the back-fills of one account, kind and moment, which keeps two of them from being under way at once.
 */
export const backfillStream = (accountId: number, event: WebhookKind, since: string): string =>
  `${backfillCategory}-${accountId}:${event}:${Date.parse(since)}`;

export const backfill: Fold<Backfill, WebhookBackfillEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'WebhookBackfillRequested':
        return { ...event.data, is_finished: false };
      case 'WebhookBackfillFinished':
        return state && { ...state, is_finished: true };
      default:
        return state;
    }
  },
};
