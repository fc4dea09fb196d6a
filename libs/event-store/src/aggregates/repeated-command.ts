import type { RepeatedCommand } from '../port.ts';
import type { ExecuteResult } from './execute-result.ts';

/** How long a caller's own key answers with the first reply; the command stays effective once for ever. */
const keptMs = 24 * 60 * 60 * 1000;

/** `fingerprint` is null when the caller did not choose the command's id: then it is the same request for sure. */
export function answerRepeated(repeated: RepeatedCommand, fingerprint: string | null): ExecuteResult {
  const reject = (code: string): ExecuteResult => ({ kind: 'rejected', rejection: { code } });
  if (fingerprint !== null && fingerprint !== repeated.fingerprint) return reject('idempotency_key_reuse');
  if (fingerprint !== null && repeated.ageMs > keptMs) return reject('idempotency_key_expired');
  if (repeated.reply === null) return reject('idempotency_in_progress');
  const { reply: body, version, position } = repeated;
  return { kind: 'done', body, version, position, replayed: true };
}
