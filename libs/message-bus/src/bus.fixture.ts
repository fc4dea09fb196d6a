import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, type INestMicroservice, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { inject, onTestFinished } from 'vitest';
import { connectToBus, type NatsConnection } from './connection/connection.ts';
import type { BusContext } from './requests/bus-context.ts';
import { type BusClientOptions, connectBusClient } from './requests/client.ts';
import { BusServer, type BusServerOptions } from './requests/server.ts';
import type { BusClient, BusReply, BusRequest, MessageContext } from './wire/message.ts';

/** A service name of its own, so that tests run side by side on one NATS. */
export const uniqueService = (): string => `svc${randomBytes(6).toString('hex')}`;

export const testContext = (changes: Partial<MessageContext> = {}): MessageContext => ({
  accountId: 7,
  actor: { kind: 'api_key', id: '3' },
  commandId: null,
  fingerprint: null,
  correlationId: 'request-1',
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 60_000,
  ...changes,
});

export const queryOf = (
  service: string,
  name: string,
  payload: unknown = {},
  context: Partial<MessageContext> = {},
): BusRequest => ({
  service,
  subject: `qry.${service}.${name}`,
  payload: JSON.stringify(payload),
  context: testContext(context),
});

export async function startClient(options: BusClientOptions & { servers?: string } = {}): Promise<BusClient> {
  const client = await connectBusClient({ servers: inject('natsUrl'), name: 'test', ...options });
  onTestFinished(() => client.close());
  return client;
}

export interface TestService {
  readonly app: INestMicroservice;
  readonly server: BusServer;
}

export async function startService(
  service: string,
  controllers: Type[],
  options: Partial<BusServerOptions> = {},
  prepare: (app: INestMicroservice) => void = () => undefined,
): Promise<TestService> {
  @Module({ controllers })
  class TestModule {}
  const server = new BusServer({ servers: inject('natsUrl'), service, ...options });
  const app = await NestFactory.createMicroservice(TestModule, { strategy: server, logger: false });
  prepare(app);
  await app.listen();
  onTestFinished(() => app.close());
  return { app, server };
}

export const ok = (value: unknown): BusReply => ({ kind: 'ok', body: JSON.stringify(value) });

/** A service that tells who answered, waits or fails as it is asked to. */
export function echoController(service: string, name = 'echo'): Type {
  @Controller()
  class EchoController {
    @MessagePattern(`qry.${service}.echo`)
    echo(@Payload() payload: unknown, @Ctx() context: BusContext): BusReply {
      return ok({ name, payload, subject: context.subject, context: context.message });
    }

    @MessagePattern(`cmd.${service}.do`)
    do(@Payload() payload: unknown, @Ctx() context: BusContext): BusReply {
      return {
        ...ok({ payload, context: context.message }),
        kind: 'ok',
        body: '{"done":true}',
        position: 12,
        version: 3,
      };
    }

    @MessagePattern(`qry.${service}.wait`)
    async wait(@Payload() { ms }: { ms: number }): Promise<BusReply> {
      await delay(ms);
      return ok({ name, ms });
    }

    @MessagePattern(`qry.${service}.fail`)
    fail(): BusReply {
      throw new Error('secret detail');
    }

    @MessagePattern(`qry.${service}.nothing`)
    nothing(): void {}
  }
  return EchoController;
}

/** A connection of its own to the tests' NATS, or to another, closed with the test. */
export async function connection(url = inject('natsUrl')): Promise<NatsConnection> {
  const nats = await connectToBus({ servers: url, name: 'test' });
  onTestFinished(() => nats.close());
  return nats;
}
