import type { DecodeEvents, PostgresEventStore } from '@parley/event-store';
import type { BusClient, NatsConnection } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import type { OnProblem, OwnershipKeeper } from '@parley/processing';
import type { Registry } from 'prom-client';
import type { ServiceConfig } from '../config.ts';
import type { OpenedSeals } from '../sealing/open-seals.ts';

/** What a service's object graph stands on. */
export interface ServiceParts {
  readonly bus: BusClient;
  /** Aborts when the process begins to end: what fails then is not tried again. */
  readonly closing: AbortSignal;
  readonly config: ServiceConfig;
  readonly logger: Logger;
  readonly store: PostgresEventStore;
  /** As the store reads: for whoever reads the log by itself. */
  readonly decode: DecodeEvents;
  readonly opened: OpenedSeals;
  readonly connection: NatsConnection;
  /** Decides which of all copies does what. */
  readonly ownership: OwnershipKeeper;
  readonly registry: Registry;
  readonly onProblem: OnProblem;
}
