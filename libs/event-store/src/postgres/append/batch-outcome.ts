import type { AppendResult, JsonObject, RecordedEvent } from '../../port.ts';
import type { PreparedAppend } from '../../prepare-append.ts';
import { toIso } from '../read/event-row.ts';

/** What an append will be answered, if nobody else appends before it and it is not refused. */
export interface Foretold {
  readonly previousHead: number;
  readonly recordedAt: string;
  /** Of the streams, before each append of the batch. */
  readonly versions: readonly number[];
}

/** What `es.append` answered. */
export interface BatchOutcome {
  readonly previousHead: number;
  readonly recordedAt: string;
  readonly isWritten: boolean;
  /** Somebody who projects other views has appended since these views were last at the head. */
  readonly isBehind: boolean;
  /** The head after the batch; undefined when no event was written. */
  readonly newHead: number | undefined;
  /** The platform clock as the transaction began. */
  readonly clock: string;
  /** Final result of the append at this place of the batch; undefined when nothing was written because of others. */
  resultOf(place: number): AppendResult | undefined;
  /** The stream's version before the append at this place. */
  versionBefore(place: number): number;
}

type Refusals = Readonly<Record<string, AppendResult>>;
/**
 * A row of `es.append`: previous head, time, versions before, refusals by number of the append (from 1), is behind, the
 * clock.
 */
export type AppendRow = [number, string, number[], Refusals | null, boolean, string];

export function readOutcome(row: AppendRow | undefined, batch: readonly PreparedAppend[]): BatchOutcome {
  if (!row) throw new Error('es.append gave no row.');
  const [previousHead, at, versions, refusals, isBehind, clock] = row;
  const recordedAt = toIso(at);
  return outcomeOf({ previousHead, recordedAt, versions, refusals, isBehind, clock: toIso(clock) }, batch);
}

/** What `es.append` answers when it answers as foretold. */
export const foretoldOutcome = (foretold: Foretold, batch: readonly PreparedAppend[]): BatchOutcome =>
  outcomeOf({ ...foretold, refusals: null, isBehind: false, clock: foretold.recordedAt }, batch);

interface Answer extends Foretold, Pick<BatchOutcome, 'isBehind' | 'clock'> {
  readonly refusals: Refusals | null;
}

function outcomeOf(
  { previousHead, recordedAt, versions, refusals, isBehind, clock }: Answer,
  batch: readonly PreparedAppend[],
): BatchOutcome {
  const isWritten = refusals === null;
  const before = isWritten ? [] : writtenBefore(batch);
  const versionBefore = (place: number) => versions[place] ?? 0;
  const ends: number[] = [];
  let end = previousHead;
  for (const { events } of batch) {
    end += events.length;
    ends.push(end);
  }
  return {
    previousHead,
    recordedAt,
    isWritten,
    isBehind,
    newHead: isWritten && end > previousHead ? end : undefined,
    clock,
    versionBefore,
    resultOf(place) {
      const append = batch[place];
      if (!isWritten) return append && told(refusals[place + 1], append, before[place] ?? 0);
      const count = append?.events.length ?? 0;
      return {
        kind: 'appended',
        version: versionBefore(place) + count,
        position: ends[place] ?? end,
        recordedAt,
      };
    },
  };
}

/** Events that the batch itself gives the stream of each append before it. */
export function writtenBefore(batch: readonly PreparedAppend[]): number[] {
  const counts = new Map<string, number>();
  return batch.map(({ stream, events }) => {
    const before = counts.get(stream.id) ?? 0;
    counts.set(stream.id, before + events.length);
    return before;
  });
}

/**
 * `es.append` compares with the version that the appends before it would have left behind. They are not written: what
 * expects the version as it is gets another try without them.
 */
function told(
  refusal: AppendResult | undefined,
  { stream }: PreparedAppend,
  before: number,
): AppendResult | undefined {
  if (refusal?.kind !== 'conflict' || before === 0) return refusal;
  const actualVersion = refusal.actualVersion - before;
  return actualVersion === stream.from ? undefined : { ...refusal, actualVersion };
}

/** The events that a written batch became, as a reader will find them. */
export function recordedEvents(
  batch: readonly PreparedAppend[],
  outcome: BatchOutcome,
): RecordedEvent<string, JsonObject>[] {
  let position = outcome.previousHead;
  return batch.flatMap(({ request, events }, place) =>
    events.map((event, index) => ({
      position: ++position,
      streamId: request.streamId,
      streamVersion: outcome.versionBefore(place) + index + 1,
      category: request.category,
      accountId: request.accountId,
      type: event.type,
      schemaVersion: event.schemaVersion,
      eventId: event.eventId,
      data: JSON.parse(event.openJson ?? event.json),
      metadata: request.metadata,
      recordedAt: outcome.recordedAt,
    })),
  );
}
