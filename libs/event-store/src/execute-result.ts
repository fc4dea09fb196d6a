import type { Rejected } from './decider.ts';

export interface Executed {
  readonly kind: 'done';
  /** The reply as JSON text: for a repeated command exactly the bytes of the first answer. */
  readonly body: string;
  readonly version: number;
  readonly position: number;
  readonly replayed: boolean;
}
export interface Refused {
  readonly kind: 'rejected';
  /** `decide`'s own, or `contended`, `idempotency_key_reuse`, `idempotency_key_expired`, `idempotency_in_progress`. */
  readonly rejection: Rejected;
}
export type ExecuteResult = Executed | Refused;

/** Others write the stream without pause, for longer than was waited: the same work succeeds later. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

/**
 * For work of our own, which nobody asks for again. Throws `Contended`, which is waited out like an outage, when the
 * stream was too busy; an `Error` for any other "no" whose code is not among the `expected`.
 */
export function mustBeDone(result: ExecuteResult, what: string, expected: readonly string[] = []): void {
  if (result.kind === 'done' || expected.includes(result.rejection.code)) return;
  const { code } = result.rejection;
  const message = `${what}: ${code}`;
  throw code === 'contended' ? new Contended(message) : new Error(message);
}
