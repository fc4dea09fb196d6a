import { wasMade } from './failed-calls.ts';
import type { RecordedOutreachEvent } from './held-up.ts';

/** What a batch of events tells of a campaign's withdrawn attempts. */
export interface Withdrawals {
  /**
   * When the last attempt was withdrawn, and until when the lead is held up, ISO 8601; null when none was withdrawn.
   */
  readonly at: string | null;
  readonly until: string | null;
  /**
   * Withdrawals after which no attempt has ended; a call that has begun may yet be put off. With `isAnew` these are all;
   * otherwise they come on top of those counted before.
   */
  readonly inARow: number;
  readonly isAnew: boolean;
  /**
   * Whether an attempt has started since the last withdrawal, or one that was under way is over, which frees what was set
   * aside for it: nothing holds the campaign up any more.
   */
  readonly isOver: boolean;
}

const none: Withdrawals = { at: null, until: null, inARow: 0, isAnew: false, isOver: false };

/** What a batch tells, by campaign; campaigns that it says nothing of are left out. */
export function withdrawalsByCampaign(
  events: readonly RecordedOutreachEvent[],
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
      case 'LeadAttemptStarted': {
        const { campaign_id } = event.data;
        noted.set(campaign_id, { ...(noted.get(campaign_id) ?? none), isOver: true });
        break;
      }
      case 'LeadAttemptEnded': {
        const { campaign_id } = event.data;
        const known = noted.get(campaign_id) ?? none;
        const isOver = known.isOver || wasMade(event.data);
        noted.set(campaign_id, { ...known, inARow: 0, isAnew: true, isOver });
        break;
      }
    }
  }
  return noted;
}
