import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type InternalMessage,
  type OperationDefinition,
  registerAccount,
  subjectOf,
} from '@parley/contracts';
import { findFreePort, findNatsServer, startNats } from '@parley/embedded-servers';
import { type BusClient, type BusReply, connectBusClient, type MessageContext } from '@parley/message-bus';
import { createLogger, type RunningProcess } from '@parley/process-kit';
import { serviceConfig, startService } from '@parley/service-kit';
import pg from 'pg';
import { inject } from 'vitest';
import type { z } from 'zod';
import { accountsService } from './accounts-service.ts';

type Context = Partial<MessageContext>;

/** Several copies of the service on one fresh database, and a NATS server of their own: subjects are the service's. */
export interface Copies {
  readonly databaseUrl: string;
  /** Reads the service's database from outside. */
  readonly pool: pg.Pool;
  /** A fresh account, registered through the bus. */
  register(): Promise<{ accountId: number; email: string }>;
  send(message: OperationDefinition | InternalMessage, payload: object, context?: Context): Promise<BusReply>;
  /** The answer's body; throws on a rejection. */
  ask<O extends z.ZodType>(
    message: InternalMessage<z.ZodType, O>,
    payload: object,
    context?: Context,
  ): Promise<z.output<O>>;
  close(): Promise<void>;
}

/** Requests go out by several clients in turn, so that no frame takes them all to one copy. */
const clientCount = 8;

export async function startCopies(count: number, env: Record<string, string> = {}): Promise<Copies> {
  const serverUrl = inject('postgresUrl');
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const nats = await startOwnNats();
  const config = serviceConfig.parse({
    DATABASE_URL: serverUrl,
    DATABASE_PREFIX: prefix,
    NATS_URL: nats.url,
    SANDBOX: 'true',
    ...env,
  });
  const logger = createLogger({ service: 'accounts', level: 'silent' });
  const copies: RunningProcess[] = await Promise.all(
    Array.from({ length: count }, () => startService(accountsService, config, logger)),
  );
  const clients = await Promise.all(
    Array.from({ length: clientCount }, () => connectBusClient({ servers: nats.url, name: 'test' })),
  );
  const databaseUrl = new URL(serverUrl);
  databaseUrl.pathname = `/${prefix}_accounts`;
  const pool = new pg.Pool({ connectionString: databaseUrl.href });
  const send = sender(clients);
  const ask: Copies['ask'] = async (message, payload, context) => {
    const reply = await send(message, payload, context);
    if (reply.kind === 'rejected') throw new Error(`${message.name}: ${JSON.stringify(reply.rejection)}`);
    return message.output.parse(JSON.parse(reply.body));
  };
  return {
    databaseUrl: databaseUrl.href,
    pool,
    send,
    ask,
    async register() {
      const email = `${randomUUID()}@example.com`;
      const { account_id: accountId } = await ask(registerAccount, {
        email,
        name: 'Ada',
        billing_unit: 'credits',
      });
      return { email, accountId };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(copies.map((copy) => copy.close()));
      await pool.end();
      await nats.stop();
      const admin = new pg.Client({ connectionString: serverUrl });
      await admin.connect();
      await admin.query(`drop database if exists ${prefix}_accounts with (force)`);
      await admin.end();
    },
  };
}

function sender(clients: readonly BusClient[]): Copies['send'] {
  let turn = 0;
  return (message, payload, context = {}) => {
    turn += 1;
    const client = clients[turn % clients.length];
    if (!client) throw new Error('There is no client.');
    return client.request({
      service: message.service,
      subject: subjectOf(message),
      payload: JSON.stringify(payload),
      context: {
        accountId: null,
        actor: { kind: 'operator', id: 'test' },
        commandId: message.kind === 'command' ? randomUUID() : null,
        fingerprint: null,
        correlationId: randomUUID(),
        expectedVersion: null,
        baseUrl: null,
        timeoutMs: 20_000,
        ...context,
      },
    });
  };
}

async function startOwnNats() {
  const dir = await mkdtemp(join(tmpdir(), 'parley-accounts-'));
  const toolDir = join(import.meta.dirname, '..', '..', '..', '.toolchain', 'nats-server');
  // biome-ignore lint/style/noProcessEnv: nats-server is looked for on the search path.
  const binary = await findNatsServer(toolDir, process.env.PATH ?? '');
  const server = await startNats({ binary, storeDir: dir, port: await findFreePort() });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
