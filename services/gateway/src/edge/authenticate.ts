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

/** The caller of an `Authorization` header; `null` for a missing, malformed, unknown, deleted or expired key. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | null>;

const bearer = /^Bearer +([\w.~+/=-]{1,512})$/i;
const lookupTimeoutMs = 4000;

/**
 * Looks keys up by their SHA-256 in the accounts service, for every request anew: nothing is remembered, so a deleted key
 * is gone at once. The look-ups of one event-loop tick share a message. Rejects when the service does not answer.
 */
export function createAuthenticate(bus: BusClient): Authenticate {
  const load = createBatchLoader((hashes: readonly string[]) => resolve(bus, hashes));
  return async (authorization) => {
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
    return token === undefined ? null : load(hash('sha256', token, 'hex'));
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
