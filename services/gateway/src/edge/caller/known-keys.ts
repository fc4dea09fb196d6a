import type { listDeletedApiKeys } from '@parley/contracts';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Caller } from './caller.ts';

type DeletedKeys = z.output<typeof listDeletedApiKeys.output>;

export interface KnownKeysOptions {
  /** Asks accounts for the keys deleted after a position of its log; rejects when accounts does not answer. */
  readonly listDeleted: (after: number) => Promise<DeletedKeys>;
  /**
   * Clocks in milliseconds, each from any start. A lease ends when one of them says so: each may stop while the
   * machine sleeps, but not all.
   */
  readonly clocks?: readonly (() => number)[];
  /** How many keys are kept; beyond that, the least recently used are forgotten. */
  readonly maxKeys?: number;
}

/** Age in milliseconds at which a lease is renewed, by the next request that needs it. */
const renewAfterMs = 200;

/**
 * The owners of keys that were looked up, usable while the key lease lasts (ADR 20). Accounts answers a deletion
 * only when every gateway has heard of it or its lease is over. The lease counts from before the question for it,
 * so a gateway that is cut off or was stopped loses it by itself.
 */
export class KnownKeys {
  readonly #listDeleted: KnownKeysOptions['listDeleted'];
  readonly #clocks: readonly (() => number)[];
  /** By the SHA-256 of the token. */
  readonly #callers: LRUCache<string, Caller>;
  /** Position of the accounts log up to which every deletion is known; undefined while no key is kept. */
  #position: number | undefined;
  /** By each of the clocks: when the present lease ends, and when it is to be renewed. */
  #endsAt: readonly number[] = [];
  #renewsAt: readonly number[] = [];
  #isRenewing = false;

  constructor({ listDeleted, clocks = systemClocks, maxKeys = 20_000 }: KnownKeysOptions) {
    this.#listDeleted = listDeleted;
    this.#clocks = clocks;
    this.#callers = new LRUCache({ max: maxKeys });
  }

  /**
   * The owner of the key while the lease lasts; undefined when the key must be looked up. Starts the renewal of the
   * lease when that is due.
   */
  find(tokenHash: string): Caller | undefined {
    if (!this.#isBefore(this.#renewsAt)) this.#renew();
    return this.#isBefore(this.#endsAt) ? this.#callers.get(tokenHash) : undefined;
  }

  /** The last known owner of the key, lease or not: a guess. */
  guess(tokenHash: string): Caller | undefined {
    return this.#callers.get(tokenHash);
  }

  /** Keeps the result of a look-up; `position` is the position of the accounts log at which it holds. */
  keep(tokenHash: string, caller: Caller, position: number): void {
    this.#position ??= position;
    // The result is older than the deletions known here: the deletion of this key may have been among them.
    if (position < this.#position) return;
    this.#callers.set(tokenHash, caller);
  }

  forget(tokenHash: string): void {
    this.#callers.delete(tokenHash);
  }

  /**
   * Asks for deletions and a new lease, one question at a time. A failure is ignored: when the lease ends, keys are
   * looked up again, and the look-ups report it.
   */
  #renew(): void {
    const after = this.#position;
    if (after === undefined || this.#isRenewing) return;
    const askedAt = this.#clocks.map((clock) => clock());
    this.#renewsAt = askedAt.map((at) => at + renewAfterMs);
    this.#isRenewing = true;
    this.#listDeleted(after)
      .then(
        (answer) => this.#onDeleted(answer, askedAt),
        () => undefined,
      )
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  #onDeleted({ position, deleted, lease_ms }: DeletedKeys, askedAt: readonly number[]): void {
    if (!deleted) {
      this.#callers.clear();
      this.#position = undefined;
      this.#endsAt = [];
      return;
    }
    if (deleted.length > 0) {
      const ids = new Set(deleted.map(String));
      for (const [tokenHash, { apiKeyId }] of [...this.#callers])
        if (ids.has(apiKeyId)) this.#callers.delete(tokenHash);
    }
    this.#position = position;
    this.#endsAt = askedAt.map((at) => at + lease_ms);
  }

  #isBefore(times: readonly number[]): boolean {
    return times.length > 0 && times.every((time, index) => (this.#clocks[index]?.() ?? time) < time);
  }
}

/** The first cannot be set by anybody; the second goes on while the machine sleeps. */
const systemClocks = [() => performance.now(), () => Date.now()];
