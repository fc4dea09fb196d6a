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
]);
/**
 * Classes of SQLSTATE that tell of the server's state rather than of the statement: connections, who is let in, resources,
 * the system below, shutdown and start-up, deadlocks, time-outs, a server that takes no changes.
 */
const outageStates = /^(08...|28...|53...|58...|57P0.|57014|40...|55P03|25P0[34]|25006)$/;
/** What node:net says: of the other side, of the way there, and of what is used up here. */
const outageCodes =
  /^(ECONN[A-Z]+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS)$/;
/** pg gives most of these no code; a socket that is not there is a server that is not up yet. */
const outageMessages =
  /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout (exceeded|expired)|connect ENOENT)/;

/**
 * Whether the infrastructure failed or a stream is too busy, so that the same work succeeds later. Our own work then
 * waits as long as it takes, and callers are told to ask again. Anything else is a failure of the work itself.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name) || outageMessages.test(error.message)) return true;
  if (!('code' in error) || typeof error.code !== 'string') return false;
  return outageStates.test(error.code) || outageCodes.test(error.code);
}
