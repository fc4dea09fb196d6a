import type { RecordedEventMessage } from '@parley/contracts';

/** A page of an account's events in one service. */
export interface ServicePage {
  readonly service: string;
  readonly events: readonly RecordedEventMessage[];
  /** The last position looked at. */
  readonly reached: number;
  /** Where the service's log ended. */
  readonly head: number;
}

interface ServiceEvent {
  readonly service: string;
  readonly event: RecordedEventMessage;
}

export interface Merged {
  readonly events: readonly ServiceEvent[];
  /** How far each service's log is merged now. */
  readonly reached: Readonly<Record<string, number>>;
  /** There was nothing more in any of the logs. */
  readonly isComplete: boolean;
}

/**
 * Merges pages of several services into one order: by time, with each log's own order kept. Events after the end of
 * a page that is not the last of its log wait for the next merge, since that log may go on with an earlier event.
 */
export function mergeLogs(pages: readonly ServicePage[], before: Merged['reached']): Merged {
  const open = pages.filter(({ reached, head }) => reached < head);
  const horizons = open.map(({ events }) => events.at(-1)?.recorded_at ?? '');
  const isWithin = ({ recorded_at: at }: RecordedEventMessage) => horizons.every((horizon) => at <= horizon);
  const events = pages
    .flatMap(({ service, events: own }) => own.filter(isWithin).map((event) => ({ service, event })))
    .sort(byTime);
  const reached: Record<string, number> = { ...before };
  for (const page of pages) {
    const taken = page.events.filter(isWithin);
    const isTakenWhole = taken.length === page.events.length;
    reached[page.service] = isTakenWhole
      ? page.reached
      : (taken.at(-1)?.position ?? before[page.service] ?? 0);
  }
  return { events, reached, isComplete: open.length === 0 };
}

/**
 * Compares by time. All times are text in one format, so text order is time order; `sort` keeps the order of equal
 * ones.
 */
export function byTime({ event: a }: ServiceEvent, { event: b }: ServiceEvent): number {
  if (a.recorded_at === b.recorded_at) return 0;
  return a.recorded_at < b.recorded_at ? -1 : 1;
}
