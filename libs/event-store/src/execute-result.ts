import type { Rejected } from './decider.ts';
import type { Appended } from './port.ts';

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
  /** `decide`'s own, or `idempotency_key_reuse`, `idempotency_key_expired`, `idempotency_in_progress`. */
  readonly rejection: Rejected;
}
export type ExecuteResult = Executed | Refused;

export const executed = (body: string, { version, position }: Appended): Executed => ({
  kind: 'done',
  body,
  version,
  position,
  replayed: false,
});

/** For work of our own, which nobody asks for again: throws at a "no" whose code is not among the `expected`. */
export function mustBeDone(result: ExecuteResult, what: string, expected: readonly string[] = []): void {
  if (result.kind === 'done' || expected.includes(result.rejection.code)) return;
  throw new Error(`${what}: ${result.rejection.code}`);
}
