import { hash } from 'node:crypto';
import { createBatchLoader } from '@parley/batching';
import { listDeletedApiKeys, resolveApiKeys } from '@parley/contracts';
import { type Ask, type BusClient, RequestTimedOut, ServiceUnavailable, Shares } from '@parley/message-bus';
import { ownAnswer, ownRequest } from '../request/own-request.ts';
import type { Caller } from './caller.ts';
import { KnownKeys } from './known-keys.ts';

/** Whose API key a request came with. */
interface Authentication {
  /**
   * The caller, or a promise when the key must be looked up: it resolves with `null` for a missing, malformed,
   * unknown, deleted or expired key, and rejects when accounts does not answer or too many unknown keys are being
   * looked up.
   */
  readonly caller: Caller | Promise<Caller | null>;
  /**
   * Whose key it was when it was looked up last, for queries asked ahead: their answer is sent only when `caller`
   * turns out to be the same.
   */
  readonly guess: Caller | undefined;
}

/** Finds out whose key an `Authorization` header holds. */
export type Authenticate = (authorization: string | undefined) => Authentication;

const bearer = /^Bearer +([\w.~+/=-]{1,512})$/i;
const lookupTimeoutMs = 4000;
const leaseTimeoutMs = 1000;
const nobody: Authentication = { caller: Promise.resolve(null), guess: undefined };

interface AuthenticateOptions {
  /** How long a caller waits for a look-up at most, even behind many others. */
  readonly timeoutMs: number;
  /**
   * How many keys that were never seen to be valid are looked up at once. Anybody can send such keys: while accounts
   * is slow or away, they would else take every place there is for waiting.
   */
  readonly maxUnknown: number;
}

/**
 * Uses the keys in memory while the key lease lasts (ADR 20), and else asks accounts by the SHA-256 of the token;
 * the look-ups of one event-loop tick share a message. A deleted key is refused from the moment its deletion is
 * answered.
 */
export function createAuthenticate(
  bus: BusClient,
  ask: Ask,
  { timeoutMs, maxUnknown }: AuthenticateOptions,
): Authenticate {
  const load = createBatchLoader((hashes: readonly string[]) => resolve(ask, hashes));
  const known = new KnownKeys({ listDeleted: (after) => listDeleted(bus, after) });
  const unknown = new Shares(maxUnknown);

  async function lookUp(tokenHash: string): Promise<Caller | null> {
    const { caller, position } = await load(tokenHash);
    if (caller && position !== null) known.keep(tokenHash, caller, position);
    else known.forget(tokenHash);
    return caller;
  }

  async function lookUpUnknown(tokenHash: string): Promise<Caller | null> {
    const leave = unknown.take(null);
    if (!leave) throw new ServiceUnavailable('Too many unknown keys are being looked up.');
    return within(timeoutMs, lookUp(tokenHash)).finally(leave);
  }

  return (authorization) => {
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
    if (token === undefined) return nobody;
    const tokenHash = hash('sha256', token, 'hex');
    const caller = known.find(tokenHash);
    if (caller) return { caller, guess: undefined };
    const guess = known.guess(tokenHash);
    return { caller: guess ? within(timeoutMs, lookUp(tokenHash)) : lookUpUnknown(tokenHash), guess };
  };
}

interface LookedUp {
  readonly caller: Caller | null;
  /**
   * Position of the accounts log at which the answer holds; `null` when the answer may not be kept, because the key
   * expires.
   */
  readonly position: number | null;
}

async function resolve(ask: Ask, hashes: readonly string[]): Promise<readonly LookedUp[]> {
  const request = ownRequest(resolveApiKeys, { token_hashes: [...hashes] }, lookupTimeoutMs);
  const { keys, position } = ownAnswer(resolveApiKeys, await ask(request, lookupTimeoutMs));
  return hashes.map((_, index) => {
    const key = keys[index];
    const caller = key ? { accountId: key.account_id, apiKeyId: String(key.api_key_id) } : null;
    return { caller, position: key?.expires === false ? position : null };
  });
}

/** Resolves as `lookUp` does, or rejects with `RequestTimedOut` after `ms`; the look-up itself goes on. */
async function within<T>(ms: number, lookUp: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RequestTimedOut(`A key was not looked up in ${ms} ms.`)), ms);
  try {
    return await Promise.race([lookUp, late]);
  } finally {
    clearTimeout(timer);
  }
}

const listDeleted = async (bus: BusClient, after: number) =>
  ownAnswer(listDeletedApiKeys, await bus.request(ownRequest(listDeletedApiKeys, { after }, leaseTimeoutMs)));
