import type { listDeletedApiKeys } from '@parley/contracts';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Caller } from './caller.ts';

type DeletedKeys = z.output<typeof listDeletedApiKeys.output>;

export interface KnownKeysOptions {
  /** Asks accounts for the keys deleted behind a position; rejects when accounts does not answer. */
  readonly listDeleted: (after: number) => Promise<DeletedKeys>;
  /** Milliseconds since any moment; each clock may stand still while the machine sleeps, but not both. */
  readonly clocks?: readonly (() => number)[];
  /** Beyond these the keys used longest ago are forgotten. */
  readonly maxKeys?: number;
}

/** A lease is renewed, by the requests that go by it, when it is this old. */
const renewAfterMs = 200;

/**
 * Whose keys were looked up, for as long as that is certain (ADR 20): accounts acknowledges a deletion only when every
 * gateway has heard of it or has no lease any more. A lease counts from before it was asked for, so a gateway that is cut
 * off or stopped loses it without hearing anything.
 */
export class KnownKeys {
  readonly #listDeleted: KnownKeysOptions['listDeleted'];
  readonly #clocks: readonly (() => number)[];
  /** By the hash of the key. */
  readonly #callers: LRUCache<string, Caller>;
  /** Every deletion up to here is heard of; undefined while nothing is known. */
  #position: number | undefined;
  /** By each of the clocks: when the present lease ends, and when the next one is asked for. */
  #endsAt: readonly number[] = [];
  #renewsAt: readonly number[] = [];
  #isRenewing = false;

  constructor({ listDeleted, clocks = systemClocks, maxKeys = 20_000 }: KnownKeysOptions) {
    this.#listDeleted = listDeleted;
    this.#clocks = clocks;
    this.#callers = new LRUCache({ max: maxKeys });
  }

  /** Whose key it is right now; undefined when it must be looked up. */
  find(tokenHash: string): Caller | undefined {
    if (!this.#isBefore(this.#renewsAt)) this.#renew();
    return this.#isBefore(this.#endsAt) ? this.#callers.get(tokenHash) : undefined;
  }

  /** Whose key it was when it was last heard of. */
  guess(tokenHash: string): Caller | undefined {
    return this.#callers.get(tokenHash);
  }

  /** Takes in what a look-up found; `position` is the log's position that it is of. */
  keep(tokenHash: string, caller: Caller, position: number): void {
    this.#position ??= position;
    // Older than what was heard of meanwhile: its deletion may have been told already.
    if (position < this.#position) return;
    this.#callers.set(tokenHash, caller);
  }

  forget(tokenHash: string): void {
    this.#callers.delete(tokenHash);
  }

  /** One question at a time; how it fails is told by the look-ups that it makes necessary. */
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

/** The first cannot be set, the second goes on while the machine sleeps. */
const systemClocks = [() => performance.now(), () => Date.now()];
