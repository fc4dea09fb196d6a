import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { parseServers } from './server-urls.ts';

export type { NatsConnection };

export interface BusConnectionOptions {
  /** `nats://host:port`, several separated by commas or as a list; credentials may stand in the URL. */
  readonly servers: string | readonly string[];
  /** Shown by `nats-server` for this connection. */
  readonly name: string;
  /**
   * Keep trying when no server takes it at first (for containers that start side by side), and hear why: at once and
   * every half minute. Rejects at once without it.
   */
  readonly onWaiting?: (error: unknown) => void;
}

const retryMs = 200;
const quietMs = 30_000;

/** A connection that reconnects for ever; dead peers are noticed after at most 30 s. */
export async function connectToBus({
  servers,
  name,
  onWaiting,
}: BusConnectionOptions): Promise<NatsConnection> {
  const options: ConnectionOptions = {
    ...parseServers(servers),
    name,
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: 10_000,
    ignoreAuthErrorAbort: true,
  };
  for (let quietUntil = 0; ; ) {
    try {
      await tryOnce(options);
      return await connect(options);
    } catch (error) {
      if (!onWaiting) throw error;
      const now = performance.now();
      if (now >= quietUntil) {
        onWaiting(error);
        quietUntil = now + quietMs;
      }
      await sleep(retryMs);
    }
  }
}

/**
 * Rejects when none of the servers takes us. Of a cluster that refuses us the client would learn further servers with
 * each try, and go round them for ever.
 */
async function tryOnce(options: ConnectionOptions): Promise<void> {
  const connection = await connect({ ...options, ignoreClusterUpdates: true });
  await connection.close();
}

/** The largest message the server takes, in bytes; NATS's default while not connected. */
export const maxPayloadOf = (connection: NatsConnection): number =>
  connection.info?.max_payload ?? 1024 * 1024;
