import type { BusReply, MessageContext } from '../wire/message.ts';
import { Shares } from './shares.ts';

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

interface Waiting {
  readonly job: Job;
  readonly leave: () => void;
}

/**
 * Runs requests side by side, up to a bound; each fails, expires and is answered for itself. No account has more than half
 * of the places, and accounts that wait for one take turns: however slow the requests of one are, those of others begin.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running: Shares;
  readonly #waiting: Shares;
  /** Of each account, in the order in which they came; first the account whose turn it is. */
  readonly #queues = new Map<number | null, Waiting[]>();
  #onIdle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#running = new Shares(options.maxRunning);
    this.#waiting = new Shares(options.maxWaiting);
  }

  get running(): number {
    return this.#running.total;
  }

  get waiting(): number {
    return this.#waiting.total;
  }

  admit(job: Job): void {
    const { accountId } = job.context;
    const end = this.#running.take(accountId);
    if (end) {
      this.#start(job, end);
      return;
    }
    const leave = this.#waiting.take(accountId);
    if (!leave) {
      job.answer({ kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 1 } });
      this.#report(job, 'refused');
      return;
    }
    const queue = this.#queues.get(accountId);
    if (queue) queue.push({ job, leave });
    else this.#queues.set(accountId, [{ job, leave }]);
  }

  /** Resolves once nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.running === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** `end` gives its place back. */
  #start(job: Job, end: () => void): void {
    if (performance.now() - job.receivedAt > job.context.timeoutMs) {
      end();
      this.#report(job, 'expired');
      return;
    }
    let payload: unknown;
    try {
      payload = job.payload === '' ? {} : JSON.parse(job.payload);
    } catch {
      end();
      job.answer({ kind: 'rejected', rejection: { code: 'malformed' } });
      this.#report(job, 'rejected');
      return;
    }
    const finish = (reply: BusReply, outcome: HandledRequest['outcome']) => {
      end();
      job.answer(reply);
      this.#report(job, outcome);
      this.#startWaiting();
      if (this.running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    this.#options.handle(job.subject, payload, job.context).then(
      (reply) => finish(reply, reply.kind),
      (error: unknown) => finish(this.#options.onFailure(error, job.subject), 'failed'),
    );
  }

  /**
   * An account that gets a place goes to the end of the line. Ends when no place is left, or none for the accounts
   * that wait.
   */
  #startWaiting(): void {
    for (const [accountId, queue] of this.#queues) {
      if (this.running >= this.#options.maxRunning) return;
      const end = this.#running.take(accountId);
      if (!end) continue;
      const first = queue.shift();
      this.#queues.delete(accountId);
      if (queue.length > 0) this.#queues.set(accountId, queue);
      first?.leave();
      if (first) this.#start(first.job, end);
    }
  }

  #report({ subject, receivedAt }: Job, outcome: HandledRequest['outcome']): void {
    this.#options.onHandled?.({ subject, outcome, durationMs: performance.now() - receivedAt });
  }
}
