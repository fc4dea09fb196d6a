import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { BusConnectionOptions, NatsConnection } from './connection.ts';

/** One finished request, for metrics. */
export interface HandledRequest {
  readonly subject: string;
  /** `expired`: its caller no longer waited when its turn came; `refused`: too many were waiting. */
  readonly outcome: 'ok' | 'rejected' | 'failed' | 'expired' | 'refused';
  readonly durationMs: number;
}

export interface BusServerOptions extends Omit<BusConnectionOptions, 'name'> {
  /** The queue group; `cmd.<service>.>`, `qry.<service>.>` and `mux.<service>` are answered. */
  readonly service: string;
  readonly name?: string;
  /** Requests handled at the same time; further ones wait for their turn. 1,024 when absent. */
  readonly maxRunning?: number;
  /** Requests waiting for their turn; further ones are rejected as `unavailable`. 8,192 when absent. */
  readonly maxWaiting?: number;
  /** `close` waits this long for running requests. 10,000 when absent. */
  readonly drainTimeoutMs?: number;
  /** Called synchronously for every request: must be cheap and must not throw. */
  readonly onHandled?: (request: HandledRequest) => void;
}

/** Nest transport strategy: `NestFactory.createMicroservice(module, { strategy: new BusServer({...}) })`. */
export class BusServer extends Server implements CustomTransportStrategy {
  readonly options: BusServerOptions;

  constructor(options: BusServerOptions) {
    super();
    this.options = options;
  }

  listen(_callback: (error?: unknown) => void): void {
    throw new Error('not built yet');
  }

  /** Takes nothing new, finishes what runs, sends its replies, then closes the connection. */
  async close(): Promise<void> {
    throw new Error('not built yet');
  }

  on(): void {
    throw new Error('not built yet');
  }

  /** The NATS connection, for publishers and subscriptions of the same process. */
  unwrap<T = NatsConnection>(): T {
    throw new Error('not built yet');
  }
}
