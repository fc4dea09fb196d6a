import type { LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/**
 * After how many such calls in a row a campaign is held up: as many that failed show that its way out to the phone
 * network is gone, as many of which no agent tells that none is there who speaks with whoever answers. They say nothing
 * of the people who were called.
 */
export const failuresInARow = 20;
/**
 * How long such a campaign rests between two calls, until one goes well or it is started anew, so that its leads are
 * not used up.
 */
export const failingRestMs = 15 * 60_000;

/** Calls of one kind since one that says otherwise, or since the campaign's start. */
interface Count {
  /** With `isAnew` these are all; otherwise they come on top of those counted before. */
  readonly inARow: number;
  readonly isAnew: boolean;
}

/** What a batch of events tells of the calls of a campaign that did not go well. */
export interface Failures {
  /** Calls that failed, since one that did not. */
  readonly failed: Count;
  /** Calls that somebody took and of which no agent has told, since one of which an agent has. */
  readonly unreported: Count;
  /** Until when the campaign waits after the last call, if these are enough for that, ISO 8601. */
  readonly until: string;
}

const unchanged: Count = { inARow: 0, isAnew: false };
const none: Count = { inARow: 0, isAnew: true };
const oneMore = ({ inARow, isAnew }: Count): Count => ({ inARow: inARow + 1, isAnew });

/** What a batch tells, by campaign; campaigns that it says nothing of are left out. */
export function failuresByCampaign(events: readonly RecordedEvent[]): ReadonlyMap<number, Failures> {
  const noted = new Map<number, Failures>();
  for (const event of events) {
    // Whoever starts it anew has removed the cause, or wants the other leads to be called all the same.
    if (event.type === 'CampaignStarted')
      noted.set(Number(event.streamId.slice('campaign-'.length)), {
        failed: none,
        unreported: none,
        until: '',
      });
    if (event.type !== 'LeadAttemptEnded') continue;
    // The type leaves no other data.
    const data = event.data as Ended['data'];
    if (!wasMade(data)) continue;
    const { failed = unchanged, unreported = unchanged } = noted.get(data.campaign_id) ?? {};
    noted.set(data.campaign_id, {
      failed: data.outcome === 'failed' ? oneMore(failed) : none,
      unreported: afterCall(unreported, data),
      until: new Date(Date.parse(data.at) + failingRestMs).toISOString(),
    });
  }
  return noted;
}

type Ended = Extract<LeadEvent, { type: 'LeadAttemptEnded' }>;

/** Whether an attempt that has ended was made at all; one that was not failed for a reason about its lead. */
export const wasMade = ({ outcome, reason }: Pick<Ended['data'], 'outcome' | 'reason'>): boolean =>
  outcome !== 'failed' || reason === null;

/** A call that nobody took says nothing of agents; one that somebody took has a reason only where none has told of it. */
function afterCall(unreported: Count, { outcome, reason }: Ended['data']): Count {
  if (outcome !== 'completed') return unreported;
  return reason === null ? none : oneMore(unreported);
}
