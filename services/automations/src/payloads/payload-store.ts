import type { NewPayload } from '../run/progress.ts';

/** `PayloadStore`, to be injected. */
export const PAYLOADS = Symbol('Payloads');

/** Inputs and outputs, beside the log: what belongs to people can be erased, and the log stays as it is. */
export interface PayloadStore {
  /** Durable at the latest when the next append is. */
  keep(owner: PayloadOwner, payloads: readonly NewPayload[]): Promise<void>;
  /** JSON texts in the order asked; undefined for what was erased. */
  read(owner: PayloadOwner, refs: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Those that no event names, because the append that was to name them was refused. */
  discard(refs: readonly string[]): Promise<void>;
  /** Everything of the run. */
  erase(runId: string): Promise<void>;
}

export interface PayloadSearch {
  /** Whether any of the patterns is anywhere in what the run worked on. */
  match(owner: PayloadOwner, patterns: readonly RegExp[]): Promise<boolean>;
}

export interface PayloadOwner {
  readonly accountId: number;
  readonly runId: string;
}
