import type { EventStore, SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import { createOutgoingHttp } from '@parley/outgoing-http';
import { type ActionModules, createActionModules } from './actions/action-modules.ts';
import { createAskService } from './actions/ask-service.ts';
import type { AutomationsConfig } from './config.ts';
import type { Definitions } from './engine/ports.ts';
import { createRunStarter } from './engine/starter.ts';
import type { PayloadSearch, PayloadStore } from './payloads/payload-store.ts';
import { createPostgresPayloads } from './payloads/postgres-payloads.ts';
import { payloadBytes } from './run/advance/limits.ts';
import type { RunStarter } from './run/advance/start-run.ts';

/** How long one request of `http.request` may take; less than an attempt may. */
const requestTimeoutMs = 30_000;
/** Requests of one account to one host under way at a time, in one process. */
const maxRequestsPerHost = 16;
/**
 * How long a request waits for a place at its host. After that the run gives its own place back; a request that got one
 * has the rest of the attempt's time.
 */
const maxWaitMs = 5_000;

/**
 * The modules of all actions. Requests and background work each make their own, since these hold nothing but caches.
 */
export const createActions = (
  bus: BusClient,
  config: Pick<AutomationsConfig, 'ALLOW_LOOPBACK_REQUESTS'>,
): ActionModules =>
  createActionModules({
    ask: createAskService(bus),
    http: createOutgoingHttp({
      allowLoopback: config.ALLOW_LOOPBACK_REQUESTS,
      timeoutMs: requestTimeoutMs,
      // A longer body does not fit into a step's output.
      maxBodyBytes: payloadBytes,
      maxPerEndpoint: maxRequestsPerHost,
      maxWaitMs,
    }),
  });

export const createPayloads = (sql: SqlExecutor, config: AutomationsConfig): PayloadStore & PayloadSearch =>
  createPostgresPayloads(sql, config.SECRETS_KEYS);

export const createStarter = (
  store: EventStore,
  definitions: Definitions,
  payloads: PayloadStore,
): RunStarter => createRunStarter({ store, definitions, payloads });
