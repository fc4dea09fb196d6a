import underPressure from '@fastify/under-pressure';
import { ServiceUnavailable } from '@parley/message-bus';
import type { FastifyInstance } from 'fastify';

/** When a gateway is hopelessly behind. */
export interface Pressure {
  /** Lag of the event loop at which requests are refused instead of growing the queue; milliseconds. */
  readonly maxLoopDelayMs: number;
  /** After it began to listen, the lag is that of the start itself, which kept the event loop busy; milliseconds. */
  readonly warmUpMs: number;
}

export const defaultPressure: Pressure = { maxLoopDelayMs: 500, warmUpMs: 3_000 };

/** Refuses what comes to the routes of `api` with 503 and `Retry-After` while the process is behind. */
export async function shedLoad(api: FastifyInstance, { maxLoopDelayMs, warmUpMs }: Pressure): Promise<void> {
  let warmAt = Number.POSITIVE_INFINITY;
  api.addHook('onListen', async () => {
    warmAt = performance.now() + warmUpMs;
  });
  await api.register(underPressure, {
    maxEventLoopDelay: maxLoopDelayMs,
    pressureHandler: async () => {
      if (performance.now() >= warmAt) throw new ServiceUnavailable('The event loop lags behind.');
    },
  });
}
