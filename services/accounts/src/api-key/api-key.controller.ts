import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createApiKey as creation,
  deleteApiKey as deletion,
  issueApiKey as issue,
  listApiKeys,
  listDeletedApiKeys,
  type OperationInput,
  resolveApiKeys,
} from '@parley/contracts';
import { Aggregates, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  atExpectedVersion,
  CommandHandler,
  causeOf,
  itemsReply,
  jsonReply,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { account, accountStream } from '../account/account.ts';
import { createApiKeyLister, createKeyResolver, listDeletedKeys } from '../views/api-key-queries.ts';
import { apiKey, apiKeyStream } from './api-key.ts';
import { ApiKeys } from './api-keys.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { keyLeaseMs, untilLeasesAreOver } from './key-lease.ts';

@Controller()
export class ApiKeyController {
  readonly #keys: ApiKeys;
  readonly #aggregates: Aggregates;
  readonly #pool: SqlExecutor;
  readonly #list: ReturnType<typeof createApiKeyLister>;
  readonly #resolve: ReturnType<typeof createKeyResolver>;

  constructor(keys: ApiKeys, aggregates: Aggregates, @Inject(READ_POOL) pool: SqlExecutor) {
    this.#keys = keys;
    this.#aggregates = aggregates;
    this.#pool = pool;
    this.#list = createApiKeyLister(pool);
    this.#resolve = createKeyResolver(pool);
  }

  @CommandHandler(creation)
  create(
    @Payload() { name, expires_at }: OperationInput<typeof creation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const key = { accountId: accountOf(message), name, expiresAt: expires_at ?? null };
    return this.#keys.create(message, key, ({ id, created_at }, token) => ({
      message: 'API key created successfully',
      api_key: { id, name, token, created_at },
    }));
  }

  @CommandHandler(issue)
  async issue(
    @Payload() { account_id: accountId, name }: z.output<typeof issue.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { state } = await this.#aggregates.load(accountStream(accountId), account);
    if (!state) return notFoundReply();
    const key = { accountId, name, expiresAt: null };
    return this.#keys.create(message, key, ({ id }, token) => ({ api_key_id: id, token }));
  }

  @CommandHandler(deletion)
  async delete(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const result = await this.#aggregates.execute({
      streamId: apiKeyStream(id),
      category: 'api-key',
      accountId: accountOf(message),
      fold: apiKey,
      ...causeOf(message),
      decide: atExpectedVersion(message, deleteApiKey),
    });
    // A repetition waits as well: it may be what takes the place of an answer that was lost on its way.
    if (result.kind === 'done') await untilLeasesAreOver();
    return toReply(result);
  }

  @QueryHandler(listApiKeys)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return itemsReply(await this.#list(accountOf(message)));
  }

  @QueryHandler(resolveApiKeys)
  async resolve(@Payload() { token_hashes }: z.output<typeof resolveApiKeys.input>): Promise<BusReply> {
    return jsonReply(await this.#resolve(token_hashes));
  }

  @QueryHandler(listDeletedApiKeys)
  async listDeleted(@Payload() { after }: z.output<typeof listDeletedApiKeys.input>): Promise<BusReply> {
    return jsonReply({ ...(await listDeletedKeys(this.#pool, after)), lease_ms: keyLeaseMs });
  }
}
