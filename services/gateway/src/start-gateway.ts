import { operations as allOperations, type OperationDefinition } from '@parley/contracts';
import { connectToBus, createAsk, createBusClient } from '@parley/message-bus';
import { createMetricsRegistry, type Logger, type RunningProcess, warnOfWaiting } from '@parley/process-kit';
import type { GatewayConfig } from './config.ts';
import { createAuthenticate } from './edge/caller/authenticate.ts';
import type { Edge } from './edge/edge.ts';
import { Draining } from './edge/load/draining.ts';
import { LargeAnswers } from './edge/load/large-answers.ts';
import { defaultPressure, type Pressure } from './edge/load/shed-load.ts';
import { defaultTimeouts, paceOf, type Timeouts } from './edge/load/timeouts.ts';
import { WaitingRoom } from './edge/load/waiting.ts';
import { apiHelmetOptions, readSecurityHeaders } from './edge/security-headers.ts';
import { AccountWakes } from './feed/account-wakes.ts';
import { createRequestMetrics } from './observe/metrics.ts';
import { createRequestLog } from './observe/request-log.ts';
import { RunningCommands } from './operation/idempotency.ts';
import { createServer } from './server.ts';

export interface GatewayOptions {
  /** What is served; every operation of the contracts when absent. */
  readonly operations?: readonly OperationDefinition[];
  /** How long clients get to hear `Connection: close` before their connections are closed. 1,500 ms when absent. */
  readonly drainMs?: number;
  readonly timeouts?: Timeouts;
  readonly pressure?: Pressure;
  /** Of large answers that clients have not taken yet; more are refused. 256 MiB when absent. */
  readonly maxUnreadBytes?: number;
}

export interface RunningGateway extends RunningProcess {
  /** `http://127.0.0.1:3000`, with the port that was really taken. */
  readonly url: string;
}

/** Connects, listens and serves; `close` lets clients leave, finishes what runs and disconnects. */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  {
    operations = allOperations,
    drainMs = 1500,
    timeouts = defaultTimeouts,
    pressure = defaultPressure,
    maxUnreadBytes = 256 * 1024 * 1024,
  }: GatewayOptions = {},
): Promise<RunningGateway> {
  const connection = await connectToBus({
    servers: config.NATS_URL,
    name: 'gateway',
    onWaiting: warnOfWaiting(logger),
  });
  const bus = createBusClient(connection);
  const ask = createAsk(bus, timeouts);
  const registry = createMetricsRegistry('gateway');
  const waiting = new WaitingRoom(config.MAX_WAITING_REQUESTS);
  const draining = new Draining();
  const count = createRequestMetrics(registry, () => waiting.count);
  const log = createRequestLog(logger);
  const edge: Edge = {
    bus,
    ask,
    logger,
    authenticate: createAuthenticate(bus, ask, {
      timeoutMs: timeouts.handlerMs,
      maxUnknown: waiting.maxPerService,
    }),
    running: new RunningCommands(),
    waiting,
    draining,
    largeAnswers: new LargeAnswers(maxUnreadBytes, paceOf(timeouts)),
    wakes: new AccountWakes(connection),
    handlerTimeoutMs: timeouts.handlerMs,
    feedTimeouts: timeouts,
    observe(answered) {
      count(answered);
      log(answered);
    },
    securityHeaders: {
      ...(await readSecurityHeaders(apiHelmetOptions)),
      'cache-control': 'no-store',
    },
  };
  const app = await createServer({ config, operations, edge, registry, timeouts, pressure });
  const url = await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ url }, 'listening');
  return {
    url,
    async close() {
      await draining.start(app.server, drainMs);
      await app.close();
      await bus.close();
      await connection.close();
    },
  };
}
