import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type ConnectionEvent,
  createConnection as creation,
  deleteConnection as deletion,
  listConnections,
  type OperationInput,
  type Rejection,
  toConnectionAuth,
  updateConnection as update,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type Decision,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CONFIG,
  CommandHandler,
  createResourceCommands,
  itemsReply,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
} from '@parley/service-kit';
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
    const secretId = await this.#keep(secret);
    const command = {
      id,
      name,
      secretId,
      auth: toConnectionAuth({ kind, header, username }),
      now,
    };
    const created = { secretId, isNew: true };
    return this.#change(id, message, created, (state) => createConnection(state, command));
  }

  @CommandHandler(update)
  async update(
    @Payload() { id, name, secret }: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const now = await this.#clock.now();
    const isOwn = secret !== undefined && (await this.#own(id, accountOf(message))) !== null;
    const secretId = isOwn ? await this.#keep(secret) : undefined;
    const change = { name, secretId, now };
    return this.#change(id, message, { secretId }, (state) => updateConnection(state, change));
  }

  @CommandHandler(deletion)
  async remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const now = await this.#clock.now();
    return this.#change(id, message, {}, (state) => deleteConnection(state, now));
  }

  @QueryHandler(listConnections)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return itemsReply(await listConnectionsOf(this.#sql, accountOf(message)));
  }

  /**
   * Runs a command and then forgets the secrets that the connection does not name afterwards, of those it named before
   * and the one that was kept for this command. A repeated command has kept one for nothing.
   */
  async #change<Reply>(
    id: number,
    message: MessageContext,
    { secretId, isNew = false }: { readonly secretId?: string | undefined; readonly isNew?: boolean },
    decide: (state: KeptConnection) => Decision<ConnectionEvent, Reply> | Rejection,
  ): Promise<BusReply> {
    const named = new Set(secretId === undefined ? [] : [secretId]);
    const decideOn = (state: KeptConnection) => {
      if (state) named.add(state.secretId);
      return decide(state);
    };
    const reply = await this.#run(id, message, decideOn, { isNew });
    const after = await this.#own(id, accountOf(message));
    if (after) named.delete(after.secretId);
    await Promise.all([...named].map((unused) => this.#secrets.forget(unused)));
    return reply;
  }

  /**
   * Seals the secret under a new id. So each of several repetitions of a request keeps, and forgets, a secret of its
   * own.
   */
  async #keep(secret: string): Promise<string> {
    const secretId = randomUUID();
    await this.#secrets.keep(secretId, secret);
    return secretId;
  }

  /** The connection, if it is the account's. */
  async #own(id: number, accountId: number): Promise<KeptConnection> {
    const loaded = await this.#aggregates.load(connectionStream(id), keptConnection);
    return loaded.accountId === accountId ? loaded.state : null;
  }
}
