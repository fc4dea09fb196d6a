import type { INestMicroservice, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Aggregates, createClock, forLookUps } from '@parley/event-store';
import { BusServer } from '@parley/message-bus/nest';
import { operatorControllers } from '../operator/operator-controllers.ts';
import { Past } from '../resources/past.ts';
import { SubjectKeyPrefetch } from '../sealing/subject-key-prefetch.ts';
import type { Background, ServiceDefinition } from '../service-definition.ts';
import {
  BUS_CLIENT,
  CLOCK,
  CLOSING,
  CONFIG,
  EVENT_STORE,
  LOGGER,
  NATS_CONNECTION,
  READ_POOL,
  WORK_POOL,
} from '../tokens.ts';
import { nestLogger } from './nest-logger.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { serviceModule } from './service-module.ts';
import type { ServiceParts } from './service-parts.ts';

/** The service as a Nest application that answers on the bus once it listens. */
export function createApp(
  definition: ServiceDefinition,
  background: Background,
  parts: ServiceParts,
): Promise<INestMicroservice> {
  const { connection, logger, registry } = parts;
  const strategy = new BusServer({
    service: definition.name,
    connection,
    onHandled: createRequestMetrics(registry),
  });
  const module = serviceModule({
    module: definition.module,
    controllers: operatorControllers(definition, background, parts),
    provided: [...provided(parts), ...(background.provided ?? [])],
  });
  return NestFactory.createMicroservice(module, {
    strategy,
    logger: nestLogger(logger),
    abortOnError: false,
  });
}

const provided = ({ bus, closing, config, connection, logger, opened, store }: ServiceParts): Provider[] => [
  { provide: SubjectKeyPrefetch, useValue: new SubjectKeyPrefetch(opened.keys) },
  { provide: Aggregates, useValue: new Aggregates(store) },
  {
    provide: Past,
    useFactory: (aggregates: Aggregates) => new Past(aggregates, store),
    inject: [Aggregates],
  },
  { provide: BUS_CLIENT, useValue: bus },
  { provide: CLOCK, useValue: createClock(store.pool) },
  { provide: CLOSING, useValue: closing },
  { provide: CONFIG, useValue: config },
  { provide: EVENT_STORE, useValue: store },
  { provide: LOGGER, useValue: logger },
  { provide: NATS_CONNECTION, useValue: connection },
  { provide: READ_POOL, useValue: forLookUps(store.pool) },
  { provide: WORK_POOL, useValue: store.pool },
];
