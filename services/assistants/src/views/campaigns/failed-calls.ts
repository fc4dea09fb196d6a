import type { LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/**
 * After how many failed calls in a row a campaign is held up: as many show that its way out to the phone network is
 * gone, or that no agent is there who speaks with whoever answers, and say nothing of the people who were called.
 */
export const failuresInARow = 20;
/**
 * How long such a campaign rests between two calls, until one does not fail or it is started anew, so that its leads
 * are not used up.
 */
export const failingRestMs = 15 * 60_000;

/** What a batch of events tells of the calls of a campaign that failed. */
export interface Failures {
  /**
   * Failures since the last call that did not fail, or since the campaign's start. With `isAnew` these are all;
   * otherwise they come on top of those counted before.
   */
  readonly inARow: number;
  readonly isAnew: boolean;
  /** Why the campaign waits, if the failures are enough for that, and until when; JSON. */
  readonly holdUp: string;
}

const none: Failures = { inARow: 0, isAnew: false, holdUp: 'null' };

/** What a batch tells, by campaign; campaigns that it says nothing of are left out. */
export function failuresByCampaign(events: readonly RecordedEvent[]): ReadonlyMap<number, Failures> {
  const noted = new Map<number, Failures>();
  for (const event of events) {
    // Whoever starts it anew has removed the cause, or wants the other leads to be called all the same.
    if (event.type === 'CampaignStarted')
      noted.set(Number(event.streamId.slice('campaign-'.length)), { ...none, isAnew: true });
    if (event.type !== 'LeadAttemptEnded') continue;
    // The type leaves no other data.
    const data = event.data as Ended['data'];
    if (!wasMade(data)) continue;
    const { campaign_id } = data;
    const { inARow, isAnew } = noted.get(campaign_id) ?? none;
    noted.set(
      campaign_id,
      data.outcome === 'failed' || isUnreported(data)
        ? { inARow: inARow + 1, isAnew, holdUp: holdUpSince(data) }
        : { ...none, isAnew: true },
    );
  }
  return noted;
}

type Ended = Extract<LeadEvent, { type: 'LeadAttemptEnded' }>;

/** Whether an attempt that has ended was made at all; one that was not failed for a reason about its lead. */
export const wasMade = ({ outcome, reason }: Pick<Ended['data'], 'outcome' | 'reason'>): boolean =>
  outcome !== 'failed' || reason === null;

/** Whether somebody took a call of which no agent has told: only then has an attempt that reached somebody a reason. */
const isUnreported = ({ outcome, reason }: Ended['data']): boolean =>
  outcome === 'completed' && reason !== null;

function holdUpSince(data: Ended['data']): string {
  const failed = `At least the last ${failuresInARow} calls have failed`;
  return JSON.stringify({
    reason: isUnreported(data) ? `${failed}, or no agent has told of them.` : `${failed}.`,
    until: new Date(Date.parse(data.at) + failingRestMs).toISOString(),
  });
}
