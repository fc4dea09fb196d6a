import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { getVoiceWebhook, type OperationInput, setVoiceWebhook as set } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  atExpectedVersion,
  CONFIG,
  CommandHandler,
  causeOf,
  Past,
  QueryHandler,
  rejectedReply,
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
  readonly #past: Past;
  readonly #urlFault: (url: string) => string | null;

  constructor(aggregates: Aggregates, past: Past, @Inject(CONFIG) config: ServiceConfig) {
    this.#aggregates = aggregates;
    this.#past = past;
    this.#urlFault = createUrlFault(config);
  }

  @QueryHandler(getVoiceWebhook)
  async get(
    @Payload() { as_of: asOf }: OperationInput<typeof getVoiceWebhook>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const streamId = voiceWebhookStream(accountId);
    if (asOf === undefined) return shown(await this.#aggregates.load(streamId, voiceWebhook));
    const moment = await this.#past.momentOf(asOf);
    if ('code' in moment) return rejectedReply(moment);
    return shown(await this.#past.load(moment, { accountId, streamId, fold: voiceWebhook }));
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

/** The setting. Where it was never made the version is 0, as a PUT with `If-Match` expects. */
const shown = (loaded: { readonly state: VoiceWebhook; readonly version: number } | null): BusReply => ({
  kind: 'ok',
  body: JSON.stringify({ data: loaded?.state ?? voiceWebhook.initialState }),
  version: loaded?.version ?? 0,
});
