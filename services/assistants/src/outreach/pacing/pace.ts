import { nextOpening, type OpeningHours } from '@parley/opening-hours';
import type { CampaignSettings } from '../../campaign/campaign.ts';
import { failingRestMs, failuresInARow } from './failed-calls.ts';
import { restAfter } from './rest-after.ts';

/** What the views tell of a running campaign's leads, as far as its pace depends on it. */
export interface Queue {
  /** Now, on the platform clock. */
  readonly now: Date;
  readonly lastQueuedAt: Date | null;
  /**
   * The latest withdrawal: when it was, until when the lead is held up (null once another attempt has started, or one is
   * over), and how many were in a row.
   */
  readonly lastWithdrawn: { readonly at: Date; readonly until: Date | null; readonly inARow: number } | null;
  /**
   * How many calls in a row have failed, or were answered and no agent has told of them, counted since the campaign's last
   * start.
   */
  readonly failingInARow: number;
  /** How many leads have an attempt that goes on. */
  readonly inFlight: number;
  /** The lead that has waited longest, or will be due first; null when none waits. */
  readonly next: { readonly leadId: number; readonly dueAt: Date } | null;
}

/** What a campaign does now: queue a lead, or look again at that time. */
export type Step =
  | { readonly kind: 'queue'; readonly leadId: number }
  | { readonly kind: 'wait'; readonly until: Date };

/** Rest between two leads of a campaign: it chooses one at a time, so that a large campaign holds up no other. */
export const paceMs = 200;
/**
 * The same for calls. Of more new calls a second than a carrier takes, which at Twilio is one unless more are paid for,
 * it refuses the rest, and their leads have failed. More than a second, as calls are not equally long on their way.
 */
const callPaceMs = 1_500;
/** How many attempts of a campaign go on at once. */
const maxInFlight = 10;
/**
 * How soon a campaign that has nothing to do looks again. An attempt's end or a new lead wakes it earlier; this is the
 * backstop.
 */
const idleMs = 60_000;

/**
 * What a running campaign does now: the next lead is queued once it is due, the window is open, and the rests are over.
 */
export function nextStep(
  { channel, ...hours }: OpeningHours & Pick<CampaignSettings, 'channel'>,
  { now, lastQueuedAt, lastWithdrawn, failingInARow, inFlight, next }: Queue,
): Step {
  const wait = (ms: number): Step => ({ kind: 'wait', until: new Date(ms) });
  if (!next || inFlight >= maxInFlight) return wait(now.getTime() + idleMs);
  if (next.dueAt > now) return wait(next.dueAt.getTime());
  const opening = nextOpening(hours, now);
  if (!opening) return wait(now.getTime() + idleMs);
  const usualMs = channel === 'call' ? callPaceMs : paceMs;
  const earliest = Math.max(
    opening.getTime(),
    (lastQueuedAt?.getTime() ?? 0) + (failingInARow < failuresInARow ? usualMs : failingRestMs),
    lastWithdrawn ? lastWithdrawn.at.getTime() + restAfter(lastWithdrawn.inARow) : 0,
    lastWithdrawn?.until?.getTime() ?? 0,
  );
  return earliest > now.getTime() ? wait(earliest) : { kind: 'queue', leadId: next.leadId };
}

/**
 * Whether what a lead was given back for may be over: the campaign was started anew since, or one of its calls has ended,
 * which frees what was set aside for it. A message ends as it is taken, which says nothing of that.
 */
export const mayBeOver = (
  channel: CampaignSettings['channel'],
  { lastWithdrawn }: Queue,
  startedAt: Date,
): boolean =>
  lastWithdrawn !== null &&
  (lastWithdrawn.at <= startedAt ||
    (channel === 'call' && lastWithdrawn.until === null && lastWithdrawn.inARow === 0));
