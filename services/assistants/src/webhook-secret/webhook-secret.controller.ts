import { Controller, Inject, type OnModuleInit } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { getWebhookSecret, rotateWebhookSecret } from '@parley/contracts';
import { Aggregates, type Clock, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  causeOf,
  jsonReply,
  QueryHandler,
  READ_POOL,
  toReply,
} from '@parley/service-kit';
import type { KeysAnswer } from './rotate-webhook-secret.ts';
import { prepareWebhookSecrets } from './secret-store.ts';
import { WebhookSecrets } from './webhook-secrets.ts';

@Controller()
export class WebhookSecretController implements OnModuleInit {
  readonly #secrets: WebhookSecrets;
  readonly #clock: Clock;
  readonly #pool: SqlExecutor;

  constructor(aggregates: Aggregates, @Inject(CLOCK) clock: Clock, @Inject(READ_POOL) pool: SqlExecutor) {
    this.#secrets = new WebhookSecrets(aggregates, pool);
    this.#clock = clock;
    this.#pool = pool;
  }

  async onModuleInit(): Promise<void> {
    await prepareWebhookSecrets(this.#pool);
  }

  @QueryHandler(getWebhookSecret)
  async get(@Ctx() { message }: BusContext): Promise<BusReply> {
    const keys = await this.#secrets.keysOf(accountOf(message), causeOf(message).metadata);
    return jsonReply({ data: await this.#show(keys, await this.#clock.now()) });
  }

  @CommandHandler(rotateWebhookSecret)
  async rotate(@Ctx() { message }: BusContext): Promise<BusReply> {
    const now = await this.#clock.now();
    const result = await this.#secrets.rotate(accountOf(message), now, causeOf(message));
    if (result.kind === 'rejected') return toReply(result);
    // The stored answer names the keys. Their secrets stay the same, so that a repetition gets the same bytes.
    const keys: KeysAnswer = JSON.parse(result.body);
    const body = JSON.stringify({
      message: 'Webhook secret rotated successfully',
      data: await this.#show(keys),
    });
    return toReply({ ...result, body });
  }

  /**
   * The secrets behind an answer. A previous one is left out once it has expired by `now`; without `now` it is always
   * shown.
   */
  async #show({ key_id, previous }: KeysAnswer, now = new Date(0)) {
    const shown = previous && new Date(previous.valid_until) > now ? previous : null;
    const previousSecret = shown ? await this.#secrets.previousSecretOf(shown.key_id) : undefined;
    return {
      secret: await this.#secrets.secretOf(key_id),
      previous_secret: previousSecret ?? null,
      previous_valid_until: previousSecret === undefined ? null : (shown?.valid_until ?? null),
    };
  }
}
