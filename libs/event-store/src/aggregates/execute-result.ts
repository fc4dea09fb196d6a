import type { Appended } from '../port.ts';
import type { Rejected } from './decider.ts';

export interface Executed {
  readonly kind: 'done';
  /** The reply as JSON text: for a repeated command exactly the bytes of the first answer. */
  readonly body: string;
  /** The stream's version after the command. */
  readonly version: number;
  /** Position of the command's last event, or the log's head at its append when it had none. */
  readonly position: number;
  /** It was carried out before, under the same id; nothing was appended now. */
  readonly replayed: boolean;
}
interface Refused {
  readonly kind: 'rejected';
  /** That of `decide` or `onClaimTaken`, or `idempotency_key_reuse`, `idempotency_key_expired`, `idempotency_in_progress`. */
  readonly rejection: Rejected;
}
/** What became of a command: carried out, now or before, or an expected "no", for which nothing was appended. */
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
