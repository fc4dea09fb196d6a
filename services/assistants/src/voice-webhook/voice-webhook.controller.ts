import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type OperationInput, setVoiceWebhook as set } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  atExpectedVersion,
  CONFIG,
  CommandHandler,
  causeOf,
  type ServiceConfig,
  toReply,
} from '@parley/service-kit';
import { createUrlFault } from '../assistant/webhook/webhook-url.ts';
import { setVoiceWebhook } from './set-voice-webhook.ts';
import {
  type VoiceWebhook,
  voiceWebhook,
  voiceWebhookCategory,
  voiceWebhookStream,
} from './voice-webhook.ts';

@Controller()
export class VoiceWebhookController {
  readonly #aggregates: Aggregates;
  readonly #urlFault: (url: string) => string | null;

  constructor(aggregates: Aggregates, @Inject(CONFIG) config: ServiceConfig) {
    this.#aggregates = aggregates;
    this.#urlFault = createUrlFault(config);
  }

  @CommandHandler(set)
  async set(
    @Payload() { url }: OperationInput<typeof set>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const command = { url, urlFault: this.#urlFault };
    return toReply(
      await this.#aggregates.execute({
        ...causeOf(message),
        streamId: voiceWebhookStream(accountId),
        category: voiceWebhookCategory,
        accountId,
        fold: voiceWebhook,
        decide: atExpectedVersion(message, (state: VoiceWebhook) => setVoiceWebhook(state, command)),
      }),
    );
  }
}
