import type { LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** So many calls of a campaign that fail one after the other say nothing of whom they were for: their way out is gone. */
export const failuresInARow = 20;
/** Then it calls once in so long, until a call does not fail or it is started anew: its leads are not spent on that. */
export const failingRestMs = 15 * 60_000;

/** What a batch of events tells of the calls of a campaign that failed. */
export interface Failures {
  /** Since the last that did not fail, or the campaign's start: in all when `isAnew`, else more of them. */
  readonly inARow: number;
  readonly isAnew: boolean;
  /** Why it waits, should they be enough, and when it tries again: JSON. */
  readonly holdUp: string;
}

const none: Failures = { inARow: 0, isAnew: false, holdUp: 'null' };

/** By campaign; those that it says nothing of are left out. */
export function failuresByCampaign(events: readonly RecordedEvent[]): ReadonlyMap<number, Failures> {
  const noted = new Map<number, Failures>();
  for (const event of events) {
    // Whoever starts it anew has put it right, or wants the rest of the list to be called all the same.
    if (event.type === 'CampaignStarted')
      noted.set(Number(event.streamId.slice('campaign-'.length)), { ...none, isAnew: true });
    if (event.type !== 'LeadAttemptEnded') continue;
    // The type leaves no other data.
    const { campaign_id, outcome, reason, at } = event.data as Ended['data'];
    // Nobody was called: what is said of that is about the lead.
    if (outcome === 'failed' && reason !== null) continue;
    const { inARow, isAnew } = noted.get(campaign_id) ?? none;
    noted.set(
      campaign_id,
      outcome === 'failed'
        ? { inARow: inARow + 1, isAnew, holdUp: holdUpSince(at) }
        : { ...none, isAnew: true },
    );
  }
  return noted;
}

type Ended = Extract<LeadEvent, { type: 'LeadAttemptEnded' }>;

const holdUpSince = (at: string): string =>
  JSON.stringify({
    reason: `At least the last ${failuresInARow} calls have failed.`,
    until: new Date(Date.parse(at) + failingRestMs).toISOString(),
  });
