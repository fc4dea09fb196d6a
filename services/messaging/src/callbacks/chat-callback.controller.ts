import { timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { receiveChatCallback, reject, verifyChatSubscription } from '@parley/contracts';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Logger } from '@parley/process-kit';
import { isSignedBy, readWhatsAppCallback } from '@parley/providers/whatsapp';
import {
  CONFIG,
  CommandHandler,
  jsonReply,
  LOGGER,
  notFoundReply,
  QueryHandler,
  rejectedReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import type { MessagingConfig } from '../config.ts';
import { ChatEvents } from './chat-events.ts';

/** The only chat platform, as named in the callback's path. */
const whatsApp = 'whatsapp';

const decompress = promisify(gunzip);
/** Bytes of an unpacked body, more than the gateway lets through. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Callbacks of the chat platform, which the gateway passes on. A failure makes the platform send them again. */
@Controller()
export class ChatCallbackController {
  readonly #config: MessagingConfig;
  readonly #events: ChatEvents;
  readonly #logger: Logger;

  constructor(@Inject(CONFIG) config: MessagingConfig, events: ChatEvents, @Inject(LOGGER) logger: Logger) {
    this.#config = config;
    this.#events = events;
    this.#logger = logger;
  }

  @CommandHandler(receiveChatCallback)
  async receive(
    @Payload() { provider, headers, body_base64, is_gzipped }: z.output<typeof receiveChatCallback.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    if (provider !== whatsApp) return notFoundReply();
    const arrived = Buffer.from(body_base64, 'base64');
    const body = is_gzipped ? await decompress(arrived, { maxOutputLength: maxBodyBytes }) : arrived;
    const signature = headers['x-hub-signature-256'] ?? '';
    if (!isSignedBy(this.#config.WHATSAPP_APP_SECRET.reveal(), body, signature))
      return rejectedReply(reject('unauthorized'));
    const events = readWhatsAppCallback(body, (phoneNumberId) =>
      this.#logger.warn({ phone_number_id: phoneNumberId }, 'a message of a customer could not be read'),
    );
    if (!events) return rejectedReply(reject('malformed'));
    await this.#events.receive(events, { ...message, actor: { kind: 'provider', id: provider } });
    return jsonReply({ received: events.length });
  }

  @QueryHandler(verifyChatSubscription)
  verify(@Payload() { provider, token }: z.output<typeof verifyChatSubscription.input>): BusReply {
    if (provider !== whatsApp) return notFoundReply();
    const expected = Buffer.from(this.#config.WHATSAPP_VERIFY_TOKEN.reveal());
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected)
      ? jsonReply({ verified: true })
      : rejectedReply(reject('unauthorized'));
  }
}
