import type { BusConnectionOptions, NatsConnection } from './connection.ts';
import type { BusClient } from './message.ts';

export interface BusClientOptions {
  /** Requests sent and not yet answered; beyond it `request` rejects with `ServiceUnavailable`. 10,000 when absent. */
  readonly maxInFlight?: number;
}

/** A client on a connection of its own, which `close` closes too. Rejects when no NATS server is there. */
export function connectBusClient(options: BusConnectionOptions & BusClientOptions): Promise<BusClient> {
  throw new Error(`${options.name}: not built yet`);
}

/** A client on a connection that others use too; `close` leaves the connection open. */
export function createBusClient(connection: NatsConnection, options: BusClientOptions = {}): BusClient {
  throw new Error(`${connection.getServer()} ${options.maxInFlight}: not built yet`);
}
