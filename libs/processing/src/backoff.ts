import { setTimeout as sleep } from 'node:timers/promises';

/** Doubles with every attempt, from 1, up to `maxMs`. */
export const backoffMs = (attempt: number, baseMs = 100, maxMs = 5_000): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));

/** Whoever waits for the end of an outage asks at least so often: what goes on afterwards is waited for. */
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
 * Classes of SQLSTATE that tell of the server's state rather than of the statement: connections, resources, shutdown and
 * start-up, deadlocks, time-outs; and what node:net says.
 */
const outageCodes =
  /^(08...|53...|57P0.|57014|40...|55P03|25P0[34]|ECONN[A-Z]+|EHOSTUNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
/** pg gives most of these no code; a socket that is not there is a server that is not up yet. */
const outageMessages =
  /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded|connect ENOENT)/;

/**
 * Is it the infrastructure that fails, or a stream that is too busy, so that the same work succeeds later, or the work
 * itself? Work of our own waits for the end of an outage as long as it lasts, and whoever asked is told to ask again;
 * anything else is a failure.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name) || outageMessages.test(error.message)) return true;
  return 'code' in error && typeof error.code === 'string' && outageCodes.test(error.code);
}
