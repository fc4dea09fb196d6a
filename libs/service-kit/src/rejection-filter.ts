import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import { AppendQueueFull, StoreUnavailable } from '@parley/event-store';
import { RequestTimedOut, ServiceUnavailable } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Logger } from '@parley/process-kit';
import { type Observable, of } from 'rxjs';
import { RejectionError, rejectedReply } from './replies.ts';
import { LOGGER } from './tokens.ts';

/** Whatever a handler throws becomes an answer; what nobody expected is logged in full and answered without internals. */
@Catch()
export class RejectionFilter implements ExceptionFilter {
  readonly #logger: Logger;
  #unlogged = 0;
  #quietUntil = 0;

  constructor(@Inject(LOGGER) logger: Logger) {
    this.#logger = logger;
  }

  catch(error: unknown, host: ArgumentsHost): Observable<unknown> {
    return of(rejectedReply(this.#rejectionOf(error, host)));
  }

  #rejectionOf(error: unknown, host: ArgumentsHost): Rejection {
    if (error instanceof RejectionError) return error.rejection;
    const context: unknown = host.switchToRpc().getContext();
    const request =
      context instanceof BusContext
        ? { subject: context.subject, correlationId: context.message.correlationId }
        : {};
    if (isOutage(error)) {
      this.#logOutage(error, request);
      return reject('unavailable', { retryAfterSeconds: 1 });
    }
    this.#logger.error({ err: error, ...request }, 'a request failed unexpectedly');
    return reject('internal');
  }

  /** An outage fails every request; a line for each would bury the rest of the log. */
  #logOutage(error: unknown, request: object): void {
    this.#unlogged += 1;
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#logger.warn({ err: error, requests: this.#unlogged, ...request }, 'a dependency is not available');
    this.#unlogged = 0;
    this.#quietUntil = now + outageLogIntervalMs;
  }
}

const outageLogIntervalMs = 1_000;

/** SQLSTATE classes that say "not now": connection failures, shutdown and start-up, too many connections, time-outs. */
const outageCodes = /^(08|53|57P|57014|55P03)|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH)$/;

function isOutage(error: unknown): boolean {
  if (
    error instanceof AppendQueueFull ||
    error instanceof StoreUnavailable ||
    error instanceof ServiceUnavailable ||
    error instanceof RequestTimedOut
  )
    return true;
  if (!(error instanceof Error)) return false;
  return ('code' in error && outageCodes.test(String(error.code))) || notConnected.test(error.message);
}

/**
 * pg gives no code when a connection ends under a query or the pool has none free in time. A socket that is not there is
 * a server that is not up yet.
 */
const notConnected =
  /^(Connection terminated|connect ENOENT|timeout exceeded when trying to connect|Client has encountered|Query read timeout)/;
