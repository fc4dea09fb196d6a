import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import { AppendQueueFull, Contended } from '@parley/event-store';
import { TooManyInFlight } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Logger } from '@parley/process-kit';
import { isOutage } from '@parley/processing';
import { type Observable, of } from 'rxjs';
import { LOGGER } from '../tokens.ts';
import { RejectionError, rejectedReply } from './replies.ts';

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
    if (error instanceof Contended) return reject('contended', { retryAfterSeconds: 1 });
    const context: unknown = host.switchToRpc().getContext();
    const request =
      context instanceof BusContext
        ? { subject: context.subject, correlationId: context.message.correlationId }
        : {};
    if (isOutage(error)) {
      this.#logOutage(error, request);
      return reject('unavailable', { retryAfterSeconds: 1, ...(!isOverload(error) && { isOutage: true }) });
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

/** Asking again makes it worse. */
const isOverload = (error: unknown): boolean =>
  error instanceof AppendQueueFull || error instanceof TooManyInFlight;

const outageLogIntervalMs = 1_000;
