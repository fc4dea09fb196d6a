import { randomBytes, randomUUID } from 'node:crypto';
import { type BusClient, type BusReply, internalContext, type MessageContext } from '@parley/message-bus';
import type { ServiceDefinition } from '@parley/service-kit';
import pg from 'pg';
import { inject } from 'vitest';
import type { z } from 'zod';
import { dropDatabase } from './database.ts';
import { startOwnNats } from './own-nats.ts';

/** Any message of the contracts: an HTTP operation, one between services, one of operators. */
interface Message {
  readonly kind: 'command' | 'query';
  readonly name: string;
}

/** Several copies of one service on a fresh database, asked over the bus as the gateway asks them. */
export interface ServiceCopies {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Reads the service's database from outside. */
  readonly pool: pg.Pool;
  send(message: Message, payload: object, context?: Partial<MessageContext>): Promise<BusReply>;
  /** The answer's body, checked; throws on a rejection. */
  ask<O extends z.ZodType>(
    message: Message & { readonly output: O },
    payload: object,
    context?: Partial<MessageContext>,
  ): Promise<z.output<O>>;
  /** Ends every copy in order; what they leave behind can still be read. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Requests go out by several clients in turn, so that no frame takes them all to one copy. */
const clientCount = 8;

/** With a NATS server of their own, because subjects are the service's and other test files run beside this one. */
export async function startServiceCopies(
  service: ServiceDefinition,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceCopies> {
  // Loaded here, so that pure tests, which import this package too, start without Nest.
  const { serviceConfig, startService } = await import('@parley/service-kit');
  const { createLogger } = await import('@parley/process-kit');
  const { connectBusClient } = await import('@parley/message-bus');
  const serverUrl = inject('postgresUrl');
  const nats = await startOwnNats();
  const config = (service.config ?? serviceConfig).parse({
    DATABASE_URL: serverUrl,
    DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}`,
    NATS_URL: nats.url,
    SANDBOX: 'true',
    ...env,
  });
  const logger = createLogger({ service: service.name, level: process.env.LOG_LEVEL ?? 'silent' });
  const copies = await Promise.all(
    Array.from({ length: count }, () => startService(service, config, logger)),
  );
  const clients = await Promise.all(
    Array.from({ length: clientCount }, () => connectBusClient({ servers: nats.url, name: 'test' })),
  );
  const database = `${config.DATABASE_PREFIX}_${service.name}`;
  const databaseUrl = new URL(serverUrl);
  databaseUrl.pathname = `/${database}`;
  const pool = new pg.Pool({ connectionString: databaseUrl.href });
  const send = sender(service.name, clients);
  const stop = async () => {
    await Promise.all(copies.map((copy) => copy.close()));
  };
  return {
    databaseUrl: databaseUrl.href,
    natsUrl: nats.url,
    pool,
    send,
    async ask(message, payload, context) {
      const reply = await send(message, payload, context);
      if (reply.kind === 'rejected') throw new Error(`${message.name}: ${JSON.stringify(reply.rejection)}`);
      return message.output.parse(JSON.parse(reply.body));
    },
    stop,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await stop();
      await pool.end();
      await nats.stop();
      await dropDatabase(serverUrl, database);
    },
  };
}

function sender(service: string, clients: readonly BusClient[]): ServiceCopies['send'] {
  let turn = 0;
  return (message, payload, context = {}) => {
    turn += 1;
    const client = clients[turn % clients.length];
    if (!client) throw new Error('There is no client.');
    return client.request({
      service,
      subject: `${message.kind === 'command' ? 'cmd' : 'qry'}.${service}.${message.name}`,
      payload: JSON.stringify(payload),
      context: internalContext({
        accountId: null,
        actor: { kind: 'operator', id: 'test' },
        commandId: message.kind === 'command' ? randomUUID() : null,
        correlationId: randomUUID(),
        timeoutMs: 20_000,
        ...context,
      }),
    });
  };
}
