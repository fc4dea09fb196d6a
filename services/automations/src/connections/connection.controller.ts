import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type ConnectionEvent,
  createConnection as creation,
  deleteConnection as deletion,
  listConnections,
  type OperationInput,
  toConnectionAuth,
  updateConnection as update,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CONFIG,
  CommandHandler,
  createResourceCommands,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
  textReply,
} from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import type { AutomationsConfig } from '../config.ts';
import { listConnectionsOf } from '../views/connections-view.ts';
import { createConnection, deleteConnection, updateConnection } from './change-connection.ts';
import { connectionCategory, connectionStream, type KeptConnection, keptConnection } from './connection.ts';
import { createSecretStore, type SecretStore } from './secret-store.ts';

@Controller()
export class ConnectionController {
  readonly #aggregates: Aggregates;
  readonly #run: RunResourceCommand<KeptConnection, ConnectionEvent>;
  readonly #clock: Clock;
  readonly #ids: IdAllocator;
  readonly #secrets: SecretStore;
  readonly #sql: SqlExecutor;

  constructor(
    aggregates: Aggregates,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: AutomationsConfig,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#run = createResourceCommands(aggregates, {
      category: connectionCategory,
      streamOf: connectionStream,
      fold: keptConnection,
    });
    this.#clock = clock;
    this.#ids = createIdAllocator(sql, 'connection_ids');
    this.#secrets = createSecretStore(sql, config.SECRETS_KEYS);
    this.#sql = sql;
  }

  @CommandHandler(creation)
  async create(
    @Payload() { secret, kind, header, username, name }: OperationInput<typeof creation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [id, now] = await Promise.all([this.#ids.next(), this.#clock.now()]);
    const secretId = await this.#keep(secret, message.commandId);
    const command = {
      id,
      name,
      secretId,
      auth: toConnectionAuth({ kind, header, username }),
      now,
    };
    return this.#run(id, message, (state) => createConnection(state, command), { isNew: true });
  }

  @CommandHandler(update)
  async update(
    @Payload() { id, name, secret }: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const now = await this.#clock.now();
    const before = await this.#own(id, accountOf(message));
    const secretId = before && secret !== undefined ? await this.#keep(secret, message.commandId) : undefined;
    const reply = await this.#run(id, message, (state) => updateConnection(state, { name, secretId, now }));
    if (reply.kind === 'ok' && before && secretId !== undefined && before.secretId !== secretId)
      await this.#secrets.forget(before.secretId);
    return reply;
  }

  @CommandHandler(deletion)
  async remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const now = await this.#clock.now();
    const before = await this.#own(id, accountOf(message));
    const reply = await this.#run(id, message, (state) => deleteConnection(state, now));
    if (reply.kind === 'ok' && before) await this.#secrets.forget(before.secretId);
    return reply;
  }

  @QueryHandler(listConnections)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return textReply(`{"data":[${await listConnectionsOf(this.#sql, accountOf(message))}]}`);
  }

  /** A repeated command finds the secret that the first one kept. */
  async #keep(secret: string, commandId: string | null): Promise<string> {
    const secretId = commandId === null ? randomUUID() : uuidv5('secret', commandId);
    await this.#secrets.keep(secretId, secret);
    return secretId;
  }

  async #own(id: number, accountId: number): Promise<KeptConnection> {
    const loaded = await this.#aggregates.load(connectionStream(id), keptConnection);
    return loaded.accountId === accountId ? loaded.state : null;
  }
}
