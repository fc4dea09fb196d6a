import type { BusReply, MessageContext } from './message.ts';

/** One finished request, for metrics. */
export interface HandledRequest {
  readonly subject: string;
  /** `expired`: its caller no longer waited when its turn came; `refused`: too many were waiting. */
  readonly outcome: 'ok' | 'rejected' | 'failed' | 'expired' | 'refused';
  /** From receipt to reply. */
  readonly durationMs: number;
}

/** A request that arrived. */
export interface Job {
  readonly subject: string;
  readonly context: MessageContext;
  /** JSON text; empty means `{}`. */
  readonly payload: string;
  /** Milliseconds of the process's monotonic clock. */
  readonly receivedAt: number;
  /** Called once, except for an expired request. */
  readonly answer: (reply: BusReply) => void;
}

export interface DispatcherOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /** Never throws synchronously; a rejected promise counts as failed and is answered by `onFailure`'s reply. */
  readonly handle: (subject: string, payload: unknown, context: MessageContext) => Promise<BusReply>;
  readonly onFailure: (error: unknown, subject: string) => BusReply;
  readonly onHandled: ((request: HandledRequest) => void) | undefined;
}

/** Runs requests side by side, up to a bound; each fails, expires and is answered for itself. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #waiting: Job[] = [];
  #running = 0;
  #onIdle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  admit(job: Job): void {
    if (this.#running < this.#options.maxRunning) this.#start(job);
    else if (this.waiting < this.#options.maxWaiting) this.#waiting.push(job);
    else {
      job.answer({ kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 1 } });
      this.#report(job, 'refused');
    }
  }

  /** Resolves once nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #start(job: Job): void {
    if (performance.now() - job.receivedAt > job.context.timeoutMs) {
      this.#report(job, 'expired');
      return;
    }
    let payload: unknown;
    try {
      payload = job.payload === '' ? {} : JSON.parse(job.payload);
    } catch {
      job.answer({ kind: 'rejected', rejection: { code: 'malformed' } });
      this.#report(job, 'rejected');
      return;
    }
    this.#running += 1;
    this.#options.handle(job.subject, payload, job.context).then(
      (reply) => this.#finish(job, reply, reply.kind),
      (error: unknown) => this.#finish(job, this.#options.onFailure(error, job.subject), 'failed'),
    );
  }

  #finish(job: Job, reply: BusReply, outcome: HandledRequest['outcome']): void {
    this.#running -= 1;
    job.answer(reply);
    this.#report(job, outcome);
    while (this.#running < this.#options.maxRunning) {
      const next = this.#waiting.shift();
      if (!next) break;
      this.#start(next);
    }
    if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #report({ subject, receivedAt }: Job, outcome: HandledRequest['outcome']): void {
    this.#options.onHandled?.({ subject, outcome, durationMs: performance.now() - receivedAt });
  }
}
