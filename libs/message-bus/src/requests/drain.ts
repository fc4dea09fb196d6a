import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from '@nats-io/nats-core';
import type { NatsConnection } from '../connection/connection.ts';

/**
 * Leaves the queue groups, lets everything that was delivered until then finish, and has what was published reach the
 * server. Gives up waiting, not failing, after `timeoutMs` or when the server is gone.
 */
export async function drain(
  connection: NatsConnection,
  subscriptions: readonly Subscription[],
  timeoutMs: number,
  finish: () => Promise<void>,
): Promise<void> {
  const stopWaiting = new AbortController();
  const work = async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    await finish();
    await connection.flush();
  };
  try {
    await Promise.race([
      work().catch(() => undefined),
      delay(timeoutMs, undefined, { signal: stopWaiting.signal }).catch(() => undefined),
    ]);
  } finally {
    stopWaiting.abort();
  }
}
