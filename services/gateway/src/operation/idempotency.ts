import { hash } from 'node:crypto';
import { type Rejection, reject } from '@parley/contracts';
import { LRUCache } from 'lru-cache';
import { v5 } from 'uuid';
import { newId } from '../edge/request/new-id.ts';

/** Never changes: it is part of every command id ever derived from an `Idempotency-Key`. */
const namespace = '6f6c0f0e-2d58-5a8f-9f0e-6c2f3d1b7a44';

const maxKeyLength = 255;

/** A command's identity: effective once for ever. `fingerprint` is null when the caller chose no key. */
export interface CommandIdentity {
  readonly commandId: string;
  readonly fingerprint: string | null;
}

/** What the same key must repeat: method, path, query and body. */
export interface RequestContent {
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
}

/** The identity of a command without a key: it can never be repeated. */
export const freshIdentity = (): CommandIdentity => ({ commandId: newId(), fingerprint: null });

/** The same account, operation and key give the same command on every gateway (ADR 6). */
export const keyedIdentity = (
  accountId: number,
  operation: string,
  key: string,
  content: RequestContent,
): CommandIdentity => ({
  commandId: v5(`${accountId}\n${operation}\n${key}`, namespace),
  fingerprint: fingerprintOf(content),
});

/** `invalid` for a key of a wrong length; `null` when the key may be used. */
export const keyFault = (key: string): Rejection | null =>
  key.length >= 1 && key.length <= maxKeyLength
    ? null
    : reject('invalid', {
        fields: {
          idempotency_key: [`The Idempotency-Key header must be 1 to ${maxKeyLength} characters.`],
        },
      });

/** SHA-256, as hex, of a request's content; the order of keys in objects does not matter. */
export const fingerprintOf = ({ method, path, query, body }: RequestContent): string =>
  hash('sha256', JSON.stringify([method, path, sorted(query), sorted(body ?? null)]), 'hex');

/** The same value with the keys of every object in one order. Its depth is bounded by the body's. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
}

/** How many answered commands a gateway remembers. */
const rememberedAnswers = 10_000;

/**
 * The commands with an `Idempotency-Key` that run on this gateway now, so that a repetition beside its first try is
 * refused at once. Across gateways the store of the service does that. Commands that were answered need no guard:
 * repetitions are answered from the store.
 */
export class RunningCommands {
  readonly #fingerprints = new Map<string, string>();
  readonly #answered = new LRUCache<string, true>({ max: rememberedAnswers });

  /**
   * `null` when the command may start; `end` must follow then. Else the rejection `idempotency_in_progress`, or
   * `idempotency_key_reuse` where the running command has another fingerprint.
   */
  start({ commandId, fingerprint }: CommandIdentity): Rejection | null {
    if (fingerprint === null || this.#answered.has(commandId)) return null;
    const running = this.#fingerprints.get(commandId);
    if (running === undefined) {
      this.#fingerprints.set(commandId, fingerprint);
      return null;
    }
    return reject(running === fingerprint ? 'idempotency_in_progress' : 'idempotency_key_reuse');
  }

  /** Notes that the service has answered the command, so that repetitions need not wait for each other. */
  answered({ commandId, fingerprint }: CommandIdentity): void {
    if (fingerprint !== null) this.#answered.set(commandId, true);
  }

  end({ commandId, fingerprint }: CommandIdentity): void {
    if (fingerprint !== null) this.#fingerprints.delete(commandId);
  }
}
