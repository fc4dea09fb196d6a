import { failingRestMs, failuresInARow } from '../../views/failed-calls.ts';
import { nextOpening, type OpeningHours } from './windows.ts';

/** Where a running campaign is with its leads. */
export interface Queue {
  /** On the platform clock. */
  readonly now: Date;
  readonly lastQueuedAt: Date | null;
  /** When an attempt was given back last, until when (null once another has started), and how many were in a row. */
  readonly lastWithdrawn: { readonly at: Date; readonly until: Date | null; readonly inARow: number } | null;
  /** How many calls have failed since the last that did not, or since its start. */
  readonly failedInARow: number;
  /** Leads whose attempt goes on. */
  readonly inFlight: number;
  /** The lead that has waited longest, or will be due first; null when none waits. */
  readonly next: { readonly leadId: number; readonly dueAt: Date } | null;
}

export type Step =
  | { readonly kind: 'queue'; readonly leadId: number }
  | { readonly kind: 'wait'; readonly until: Date };

/** Each campaign chooses one lead at a time and rests in between, so that a large one holds up no other. */
export const paceMs = 200;
/** What one lead was refused for now, the next one would be as well; what goes on for long may go on for days. */
const restMs = 5_000;
const longestRestMs = 5 * 60_000;
/**
 * The rest doubles with each so many in a row: as many come back at once when a campaign stops or its window closes,
 * which says nothing of later attempts.
 */
const restsAlike = 10;
/** So many conversations of a campaign go on at once. */
const maxInFlight = 10;
/** A campaign is woken when a lead comes or an attempt ends; this is the backstop. */
const idleMs = 60_000;

/** What a running campaign does now. */
export function nextStep(
  hours: OpeningHours,
  { now, lastQueuedAt, lastWithdrawn, failedInARow, inFlight, next }: Queue,
): Step {
  const wait = (ms: number): Step => ({ kind: 'wait', until: new Date(ms) });
  if (!next || inFlight >= maxInFlight) return wait(now.getTime() + idleMs);
  if (next.dueAt > now) return wait(next.dueAt.getTime());
  const opening = nextOpening(hours, now);
  if (!opening) return wait(now.getTime() + idleMs);
  const earliest = Math.max(
    opening.getTime(),
    (lastQueuedAt?.getTime() ?? 0) + (failedInARow < failuresInARow ? paceMs : failingRestMs),
    lastWithdrawn ? lastWithdrawn.at.getTime() + restAfter(lastWithdrawn.inARow) : 0,
    lastWithdrawn?.until?.getTime() ?? 0,
  );
  return earliest > now.getTime() ? wait(earliest) : { kind: 'queue', leadId: next.leadId };
}

const restAfter = (inARow: number): number =>
  Math.min(restMs * 2 ** Math.floor(inARow / restsAlike), longestRestMs);
