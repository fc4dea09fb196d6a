import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { receiveSmsCallback, reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { readTwilioSmsCallback } from '@parley/providers/twilio';
import { CONFIG, CommandHandler, jsonReply, notFoundReply, rejectedReply } from '@parley/service-kit';
import type { z } from 'zod';
import type { TelephonyConfig } from '../config.ts';
import { applyReport } from './decisions.ts';
import { smsOfReference } from './sms.ts';
import { SmsLog } from './sms-log.ts';
import { calledUrl, referenceOf } from './status-url.ts';

/** The only carrier, as named in the callback's path. */
const twilio = 'twilio';

/** Callbacks of the carrier about SMS, which the gateway passes on. */
@Controller()
export class SmsCallbackController {
  readonly #config: TelephonyConfig;
  readonly #log: SmsLog;

  constructor(@Inject(CONFIG) config: TelephonyConfig, log: SmsLog) {
    this.#config = config;
    this.#log = log;
  }

  @CommandHandler(receiveSmsCallback)
  async receive(
    @Payload() { provider, headers, target, body_base64 }: z.output<typeof receiveSmsCallback.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    if (provider !== twilio) return notFoundReply();
    const url = calledUrl(this.#config, target);
    const callback = await readTwilioSmsCallback(this.#config.TWILIO_AUTH_TOKEN.reveal(), {
      url,
      body: Buffer.from(body_base64, 'base64'),
      signature: headers['x-twilio-signature'] ?? '',
    });
    if (callback.kind === 'unsigned') return rejectedReply(reject('unauthorized'));
    if (callback.kind === 'malformed') return rejectedReply(reject('malformed'));
    const id = smsOfReference(referenceOf(url));
    const origin = id === null ? null : await this.#log.originOf(id);
    const { report } = callback;
    if (id === null || !origin || !report) return jsonReply({ received: 0 });
    // With the correlation id of the campaign's send.
    const metadata = {
      correlationId: origin.correlationId,
      causationId: origin.eventId,
      commandId: null,
      actor: { kind: 'provider', id: twilio },
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    } as const;
    await this.#log.change(id, origin.accountId, metadata, (state) => applyReport(state, report));
    return jsonReply({ received: 1 });
  }
}
