import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { receiveVoiceCallback, reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Logger } from '@parley/process-kit';
import { readLiveKitCallback } from '@parley/providers/livekit';
import { CONFIG, CommandHandler, jsonReply, LOGGER, notFoundReply, rejectedReply } from '@parley/service-kit';
import type { z } from 'zod';
import type { TelephonyConfig } from '../../config.ts';
import { VoiceEvents } from './voice-events.ts';

/** The only voice platform, as named in the callback's path. */
const liveKit = 'livekit';

/** Callbacks of the voice platform, which the gateway passes on. A rejection makes the platform send them again. */
@Controller()
export class VoiceCallbackController {
  readonly #config: TelephonyConfig;
  readonly #events: VoiceEvents;
  readonly #logger: Logger;

  constructor(@Inject(CONFIG) config: TelephonyConfig, events: VoiceEvents, @Inject(LOGGER) logger: Logger) {
    this.#config = config;
    this.#events = events;
    this.#logger = logger;
  }

  @CommandHandler(receiveVoiceCallback)
  async receive(
    @Payload() { provider, headers, body_base64 }: z.output<typeof receiveVoiceCallback.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    if (provider !== liveKit) return notFoundReply();
    const { LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = this.#config;
    const body = Buffer.from(body_base64, 'base64');
    const callback = await readLiveKitCallback(
      { apiKey, apiSecret },
      body,
      headers.authorization ?? '',
      (fault) => this.#logger.warn({ fault }, 'the report of an agent cannot be read'),
    );
    if (callback.kind === 'unsigned') return rejectedReply(reject('unauthorized'));
    if (callback.kind === 'malformed') return rejectedReply(reject('malformed'));
    if (!callback.event) return jsonReply({ received: 0 });
    const rejection = await this.#events.take(callback.event, message);
    return rejection ? rejectedReply(rejection) : jsonReply({ received: 1 });
  }
}
