import { Nap } from '@parley/batching';
import type pg from 'pg';
import { type NextStep, nextStep } from './backoff.ts';
import type { CallingProvider } from './callback.ts';

const attemptTimeoutMs = 10_000;
const batchSize = 64;
/**
 * How long the courier rests without being woken, in milliseconds: callbacks that another process of the sandbox
 * queued wake only that process.
 */
const longestRestMs = 5_000;

/**
 * Where a provider's callbacks go and how they are signed. Times in signatures are the machine's and not the
 * platform clock's, since verifiers compare them with their own machine's.
 */
export interface Hook {
  readonly path: string;
  /** Turns the JSON of the payload into the body that is posted; without it the JSON itself is posted. */
  readonly encode?: (payload: string) => string;
  readonly headers: (body: string, url: string) => Promise<Readonly<Record<string, string>>>;
}

export interface CourierOptions {
  readonly pool: pg.Pool;
  readonly gatewayUrl: string;
  readonly hooks: Readonly<Record<CallingProvider, Hook>>;
  readonly onDropped: (event: string, lastAnswer: string) => void;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly id: string;
  readonly provider: CallingProvider;
  readonly topic: string;
  readonly event: string;
  readonly body: string;
  readonly url: string | null;
  readonly attempts: number;
}

interface Attempt {
  readonly id: string;
  readonly answer: string;
  readonly step: NextStep;
}

/** Delivers queued callbacks at least once: a crash between an attempt and its record repeats the attempt. */
export class Courier {
  readonly #options: CourierOptions;
  readonly #nap = new Nap();
  readonly #running: Promise<void>;
  #isClosed = false;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Tells the courier that a callback was queued. */
  wake(): void {
    this.#nap.wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const restMs = await this.#deliver().catch((error: unknown) => {
        this.#options.onError(error);
        return longestRestMs;
      });
      await this.#nap.sleep(restMs);
    }
  }

  /** Delivers what is due; milliseconds until there may be more. */
  async #deliver(): Promise<number> {
    const delivered = await this.#deliverDue();
    return delivered === batchSize ? 0 : this.#untilNextDue();
  }

  async #deliverDue(): Promise<number> {
    const { rows } = await this.#options.pool.query<Waiting>({
      name: 'due-callbacks',
      text: `select id, provider, topic, event, body, url, attempts from sandbox.callbacks
        where state = 'waiting' and due_at <= now() order by due_at, id limit $1`,
      values: [batchSize],
    });
    if (rows.length === 0) return 0;
    const topics = Map.groupBy(rows, ({ topic }) => topic);
    const attempts = await Promise.all([...topics.values()].map((topic) => this.#attemptInOrder(topic)));
    await this.#record(attempts.flat());
    return rows.length;
  }

  async #attemptInOrder(topic: readonly Waiting[]): Promise<readonly Attempt[]> {
    const attempts: Attempt[] = [];
    for (const callback of topic) {
      const { status, answer } = await this.#post(callback);
      const step = nextStep(callback.attempts + 1, status);
      if (step.kind === 'dropped') this.#options.onDropped(callback.event, answer);
      attempts.push({ id: callback.id, answer, step });
    }
    return attempts;
  }

  async #record(attempts: readonly Attempt[]): Promise<void> {
    await this.#options.pool.query({
      name: 'record-attempts',
      text: `update sandbox.callbacks set attempts = attempts + 1, state = attempt.state,
          last_answer = attempt.answer, due_at = now() + attempt.delay_ms * interval '1 millisecond'
        from unnest($1::bigint[], $2::text[], $3::text[], $4::integer[]) as attempt (id, state, answer, delay_ms)
        where callbacks.id = attempt.id`,
      values: [
        attempts.map(({ id }) => id),
        attempts.map(({ step }) => (step.kind === 'retry' ? 'waiting' : step.kind)),
        attempts.map(({ answer }) => answer),
        attempts.map(({ step }) => (step.kind === 'retry' ? step.delayMs : 0)),
      ],
    });
  }

  async #post(callback: Waiting): Promise<{ status: number | null; answer: string }> {
    const hook = this.#options.hooks[callback.provider];
    const url = callback.url ?? new URL(hook.path, this.#options.gatewayUrl).href;
    const body = hook.encode?.(callback.body) ?? callback.body;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: await hook.headers(body, url),
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(attemptTimeoutMs),
      });
      // Read to its end, or the connection could not be used again.
      await response.arrayBuffer();
      return { status: response.status, answer: String(response.status) };
    } catch (error) {
      return { status: null, answer: error instanceof Error ? error.message : 'no answer' };
    }
  }

  async #untilNextDue(): Promise<number> {
    const { rows } = await this.#options.pool.query<{ ms: number | null }>({
      name: 'next-callback',
      text: `select extract(epoch from min(due_at) - now())::float8 * 1000 as ms
        from sandbox.callbacks where state = 'waiting'`,
    });
    return Math.min(Math.max(rows[0]?.ms ?? longestRestMs, 0), longestRestMs);
  }
}
