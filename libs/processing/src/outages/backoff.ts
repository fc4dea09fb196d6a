import { setTimeout as sleep } from 'node:timers/promises';

/** Doubles with every attempt, from 1, up to `maxMs`. */
export const backoffMs = (attempt: number, baseMs = 100, maxMs = 5_000): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));

/** Longest pause between tries during an outage: others wait for the work that goes on afterwards. */
export const longestOutagePauseMs = 1_000;

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const outageNames = new Set([
  'StoreUnavailable',
  'AppendQueueFull',
  'Contended',
  'ServiceUnavailable',
  'RequestTimedOut',
  'SealKeyMissing',
  'NotLoaded',
]);
/**
 * Classes of SQLSTATE that tell of the server's state rather than of the statement: connections, who is let in, resources,
 * the system below, shutdown and start-up, deadlocks, time-outs, a server that takes no changes.
 */
const outageStates = /^(08...|28...|53...|58...|57P0.|57014|40...|55P03|25P0[34]|25006)$/;
/** What node:net says: of the other side, of the way there, and of what is used up here. */
const outageCodes =
  /^(ECONN[A-Z]+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_[A-Z]+|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS)$/;
/** What node:tls says of the other side: of its certificate, which may have expired, and of how it speaks. */
const tlsCodes = /^(EPROTO|ERR_(TLS|SSL)_.*|UNABLE_TO_.*|(.*_)?(CERT|CRL)(_.*)?)$/;
/** The same as pg says it. */
const tlsMessages = /^(The server does not support SSL|There was an error establishing an SSL)/;
/** pg gives most of these no code; a socket that is not there is a server that is not up yet. */
const outageMessages =
  /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout (exceeded|expired)|connect ENOENT)/;

/**
 * Whether the infrastructure failed or a stream is too busy, so that the same work succeeds later. Our own work then
 * waits as long as it takes, and callers are told to ask again. Anything else is a failure of the work itself.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, message } = error;
  if (outageNames.has(name) || outageMessages.test(message) || tlsMessages.test(message)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return outageStates.test(code) || outageCodes.test(code) || tlsCodes.test(code);
}
