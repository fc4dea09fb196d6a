import { hash } from 'node:crypto';
import { createBatchLoader } from '@parley/batching';
import { resolveApiKeys, subjectOf } from '@parley/contracts';
import { type BusClient, ServiceUnavailable } from '@parley/message-bus';
import { askUntilAnswered } from './ask.ts';
import { systemContext } from './system-context.ts';

/** Who asks: the account and the key that a request came with. */
export interface Caller {
  readonly accountId: number;
  readonly apiKeyId: string;
}

/** One request's key being looked up. */
interface Authentication {
  /** `null` for a missing, malformed, unknown, deleted or expired key. Rejects when the accounts service does not answer. */
  readonly caller: Promise<Caller | null>;
  /** Whose key it was last time: for work of which nobody learns anything until `caller` says the same. */
  readonly guess: Caller | undefined;
}

/** Begins to look up the key of an `Authorization` header. */
export type Authenticate = (authorization: string | undefined) => Authentication;

const bearer = /^Bearer +([\w.~+/=-]{1,512})$/i;
const lookupTimeoutMs = 4000;
const maxGuesses = 10_000;
const nobody: Authentication = { caller: Promise.resolve(null), guess: undefined };

/**
 * Looks keys up by their SHA-256 in the accounts service, for every request anew: no answer counts twice, so a deleted key
 * is gone at once. The look-ups of one event-loop tick share a message.
 */
export function createAuthenticate(bus: BusClient): Authenticate {
  const load = createBatchLoader((hashes: readonly string[]) => resolve(bus, hashes));
  const guesses = new Map<string, Caller>();

  async function lookUp(tokenHash: string): Promise<Caller | null> {
    const caller = await load(tokenHash);
    if (!caller) guesses.delete(tokenHash);
    else if (guesses.size < maxGuesses || guesses.has(tokenHash)) guesses.set(tokenHash, caller);
    return caller;
  }

  return (authorization) => {
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
    if (token === undefined) return nobody;
    const tokenHash = hash('sha256', token, 'hex');
    return { caller: lookUp(tokenHash), guess: guesses.get(tokenHash) };
  };
}

async function resolve(bus: BusClient, hashes: readonly string[]): Promise<readonly (Caller | null)[]> {
  const distinct = [...new Set(hashes)];
  const request = {
    service: resolveApiKeys.service,
    subject: subjectOf(resolveApiKeys),
    payload: JSON.stringify({ token_hashes: distinct }),
    context: systemContext(lookupTimeoutMs),
  };
  const reply = await askUntilAnswered(bus, request, lookupTimeoutMs);
  if (reply.kind === 'rejected') throw new ServiceUnavailable(reply.rejection.code);
  const { keys } = resolveApiKeys.output.parse(JSON.parse(reply.body));
  const callers = new Map<string, Caller | null>();
  for (const [index, tokenHash] of distinct.entries()) {
    const key = keys[index];
    callers.set(tokenHash, key ? { accountId: key.account_id, apiKeyId: String(key.api_key_id) } : null);
  }
  return hashes.map((tokenHash) => callers.get(tokenHash) ?? null);
}
