import { type RecordedEvent, replaceUnstorable } from '@parley/event-store';

/** What an operator must hear of. */
export type ProcessorProblem =
  /** It tries again by itself, for as long as it takes when the infrastructure is down. */
  | {
      readonly kind: 'retrying';
      readonly processor: string;
      readonly error: unknown;
      readonly attempt: number;
      /** Of the event that it is at; null where it is at none, as without a database. */
      readonly position: number | null;
      /** Id of the timer whose handler failed. */
      readonly timer?: string;
    }
  /** A reactor gave an event up and went on; it stands in `es.dead_letters`. */
  | {
      readonly kind: 'dead-letter';
      readonly processor: string;
      readonly error: unknown;
      readonly attempts: number;
      readonly event: RecordedEvent;
    };

export type OnProblem = (problem: ProcessorProblem) => void;

/**
 * The error as text for the log's tables: at most 4,000 characters, without what Postgres refuses. Were it refused,
 * the dead letter could never be written, and the reactor would stand still.
 */
export const describeError = (error: unknown): string =>
  replaceUnstorable(
    (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 4_000),
  );
