import { connect, type NatsConnection } from '@nats-io/transport-node';
import { parseServers } from './server-urls.ts';

export type { NatsConnection };

export interface BusConnectionOptions {
  /** `nats://host:port`, several separated by commas or as a list; credentials may stand in the URL. */
  readonly servers: string | readonly string[];
  /** Shown by `nats-server` for this connection. */
  readonly name: string;
  /** Keep trying when no server is there at first (for containers that start side by side); else reject at once. */
  readonly waitForServer?: boolean;
}

/** A connection that reconnects for ever; dead peers are noticed after at most 30 s. */
export function connectToBus({
  servers,
  name,
  waitForServer,
}: BusConnectionOptions): Promise<NatsConnection> {
  return connect({
    ...parseServers(servers),
    name,
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: 10_000,
    waitOnFirstConnect: waitForServer ?? false,
    ignoreAuthErrorAbort: true,
  });
}

/** The largest message the server takes, in bytes; NATS's default while not connected. */
export const maxPayloadOf = (connection: NatsConnection): number =>
  connection.info?.max_payload ?? 1024 * 1024;
