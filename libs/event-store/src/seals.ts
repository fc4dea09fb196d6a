import type { AppendRequest, JsonObject, RecordedEvent } from './port.ts';

type StoredEvent = RecordedEvent<string, JsonObject>;

/**
 * Keeps what belongs to people unreadable where it is stored, so that it can be erased while the log stays (ADR 18).
 * Answers at once where nothing has to be looked up: most events belong to nobody.
 */
export interface EventSeals {
  /** The append as it is to be stored: `sealedData` beside `data`, and no numbers in names. */
  seal(request: AppendRequest): AppendRequest | Promise<AppendRequest>;
  /** Stored events as they were before they were sealed; of erased people, what is left of them. */
  open(events: readonly StoredEvent[]): readonly StoredEvent[] | Promise<readonly StoredEvent[]>;
  /** What the stream is called in the log. */
  streamIdOf(streamId: string): string | Promise<string>;
  /** Calls `forget` when people were erased: what was folded or read before may still know them. */
  onErased(forget: () => void): void;
}
