import { Inject, Injectable } from '@nestjs/common';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { CLOCK, causeOf, READ_POOL, toReply } from '@parley/service-kit';
import { apiKey, apiKeyStream } from './api-key.ts';
import { createApiKey } from './create-api-key.ts';
import { newToken, sha256Of } from './token.ts';

export interface CreatedKey {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

/** Creates API keys. The token itself is only in the memory of this process and in the first answer. */
@Injectable()
export class ApiKeys {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;
  readonly #ids: IdAllocator;

  constructor(aggregates: Aggregates, @Inject(CLOCK) clock: Clock, @Inject(READ_POOL) pool: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#clock = clock;
    this.#ids = createIdAllocator(pool, 'api_key_ids');
  }

  /** A repetition is answered with `token: null`: the stored answer never had it (decisions, section 8). */
  async create(
    message: MessageContext,
    key: { readonly accountId: number; readonly name: string; readonly expiresAt: string | null },
    answer: (created: CreatedKey, token: string | null) => object,
  ): Promise<BusReply> {
    const { accountId, name, expiresAt } = key;
    const [apiKeyId, now] = await Promise.all([this.#ids.next(), this.#clock.now()]);
    const token = newToken();
    const answerWith = (shown: string | null) =>
      answer({ id: apiKeyId, name, created_at: now.toISOString() }, shown);
    const result = await this.#aggregates.execute({
      streamId: apiKeyStream(apiKeyId),
      category: 'api-key',
      accountId,
      fold: apiKey,
      isNew: true,
      ...causeOf(message),
      decide: (state) =>
        createApiKey(state, { apiKeyId, name, tokenSha256: sha256Of(token), expiresAt, now }, answerWith),
    });
    const isFirst = result.kind === 'done' && !result.replayed;
    return toReply(isFirst ? { ...result, body: JSON.stringify(answerWith(token)) } : result);
  }
}
