import type { NewPayload } from '../run/progress.ts';

/** `PayloadStore`, to be injected. */
export const PAYLOADS = Symbol('Payloads');

/**
 * Inputs and outputs of runs, kept beside the log: what belongs to people can be erased, while the log stays as it is.
 */
export interface PayloadStore {
  /** Stores payloads; they are durable at the latest when the next append is. */
  keep(owner: PayloadOwner, payloads: readonly NewPayload[]): Promise<void>;
  /** The payloads as JSON texts, in the order of `refs`; undefined for those that were erased. */
  read(owner: PayloadOwner, refs: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Deletes payloads that no event names, because the append that was to name them was refused. */
  discard(refs: readonly string[]): Promise<void>;
  /** Deletes all payloads of the run. */
  erase(runId: string): Promise<void>;
}

/** Searches payloads, for erasures. */
export interface PayloadSearch {
  /** Whether any of the patterns matches anywhere in the run's payloads. */
  match(owner: PayloadOwner, patterns: readonly RegExp[]): Promise<boolean>;
}

/** The run that a payload belongs to, and its account. */
export interface PayloadOwner {
  readonly accountId: number;
  readonly runId: string;
}
