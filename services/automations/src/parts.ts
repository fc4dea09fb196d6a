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
import { payloadBytes } from './run/limits.ts';
import type { RunStarter } from './run/start-run.ts';

/** Of one `http.request`; shorter than an attempt may take. */
const requestTimeoutMs = 30_000;
const maxRequestsPerHost = 16;
/** For one of these: then the run gives its own place back, and what is left of the attempt is the endpoint's. */
const maxWaitMs = 5_000;

/** Requests and background work each make these for themselves: they hold nothing but caches. */
export const createActions = (
  bus: BusClient,
  config: Pick<AutomationsConfig, 'ALLOW_LOOPBACK_REQUESTS'>,
): ActionModules =>
  createActionModules({
    ask: createAskService(bus),
    http: createOutgoingHttp({
      allowLoopback: config.ALLOW_LOOPBACK_REQUESTS,
      timeoutMs: requestTimeoutMs,
      // What is longer does not fit into what a step puts out.
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
