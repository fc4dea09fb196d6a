import type { RecordedLeadEvent } from './lead-changes.ts';

/** What a batch of events tells of the attempts that a campaign got back. */
export interface Withdrawals {
  /** When the last was given back, and until when, ISO 8601; null when none was. */
  readonly at: string | null;
  readonly until: string | null;
  /** Those after which nothing has come of another attempt: in all when `isAnew`, else more of them. */
  readonly inARow: number;
  readonly isAnew: boolean;
  /** Whether an attempt has started since the last was given back: nothing holds its campaign up any more. */
  readonly isOver: boolean;
}

const none: Withdrawals = { at: null, until: null, inARow: 0, isAnew: false, isOver: false };

/** By campaign; those that it says nothing of are left out. */
export function withdrawalsByCampaign(
  events: readonly RecordedLeadEvent[],
): ReadonlyMap<number, Withdrawals> {
  const noted = new Map<number, Withdrawals>();
  for (const event of events) {
    switch (event.type) {
      case 'LeadAttemptWithdrawn': {
        const { recordedAt: at, data } = event;
        const { inARow, isAnew } = noted.get(data.campaign_id) ?? none;
        noted.set(data.campaign_id, { at, until: data.due_at, inARow: inARow + 1, isAnew, isOver: false });
        break;
      }
      case 'LeadAttemptStarted':
      case 'LeadAttemptEnded': {
        const { campaign_id } = event.data;
        const known = noted.get(campaign_id) ?? none;
        const isOver = known.isOver || event.type === 'LeadAttemptStarted';
        noted.set(campaign_id, { ...known, inARow: 0, isAnew: true, isOver });
        break;
      }
    }
  }
  return noted;
}
