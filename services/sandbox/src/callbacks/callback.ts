import type { Executor } from '../database/transaction.ts';
import type { ProviderName } from '../provider/names.ts';

/** The providers that send callbacks. */
export type CallingProvider = Extract<ProviderName, 'chat' | 'payments' | 'voice' | 'carrier'>;

/** A webhook of a provider on its way to the gateway. */
export interface Callback {
  readonly provider: CallingProvider;
  /** Callbacks of one topic are sent in order; one that fails does not hold up the next. */
  readonly topic: string;
  /** What the callback is about, for people who look at the queue. */
  readonly event: string;
  /** The URL to post to; when absent, the address for the callbacks of its provider. */
  readonly url?: string;
  readonly payload: unknown;
}

/** Queues a callback, in the transaction of the change that it reports. */
export async function enqueueCallback(db: Executor, callback: Callback): Promise<void> {
  await db.query({
    name: 'enqueue-callback',
    text: 'insert into sandbox.callbacks (provider, topic, event, body, url) values ($1, $2, $3, $4, $5)',
    values: [
      callback.provider,
      callback.topic,
      callback.event,
      JSON.stringify(callback.payload),
      callback.url ?? null,
    ],
  });
}

/**
 * The callbacks in any state (waiting, delivered or dropped), oldest first, after the id `after`, the last one
 * seen.
 */
export async function listCallbacks(
  db: Executor,
  provider: string | null,
  after: number,
): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await db.query<{ id: string; body: string }>(
    `select id, provider, event, state, attempts, last_answer, body, created_at
     from sandbox.callbacks where ($1::text is null or provider = $1) and id > $2 order by id`,
    [provider, after],
  );
  return rows.map((row) => ({ ...row, id: Number(row.id), body: JSON.parse(row.body) }));
}
