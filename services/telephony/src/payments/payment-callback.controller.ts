import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { receivePaymentCallback, reject } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { isSignedByStripe, readStripeCallback } from '@parley/providers/stripe';
import {
  CONFIG,
  CommandHandler,
  causeOf,
  jsonReply,
  notFoundReply,
  rejectedReply,
} from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { TelephonyConfig } from '../config.ts';
import { applyPaymentNews } from '../number/apply-payment-news.ts';
import { numberCategory, numberStream, phoneNumber } from '../number/number.ts';

/** Command ids are made from the provider's ids in this space. */
const newsSpace = '3f4a6f0e-7f5b-5c55-9d2a-6c0f0e6f9b1d';
/** The one payment provider there is, as it stands in the callback's path. */
const stripe = 'stripe';

/** What we gave the subscription to carry. */
const ours = z.object({
  number_id: z.coerce.number().int().positive(),
  account_id: z.coerce.number().int().positive(),
  purchase_id: z.string(),
  request_id: z.string().optional(),
});

@Controller()
export class PaymentCallbackController {
  readonly #aggregates: Aggregates;
  readonly #config: TelephonyConfig;

  constructor(aggregates: Aggregates, @Inject(CONFIG) config: TelephonyConfig) {
    this.#aggregates = aggregates;
    this.#config = config;
  }

  @CommandHandler(receivePaymentCallback)
  async receive(
    @Payload() { provider, headers, body_base64 }: z.output<typeof receivePaymentCallback.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    if (provider !== stripe) return notFoundReply();
    const body = Buffer.from(body_base64, 'base64');
    const secret = this.#config.STRIPE_WEBHOOK_SECRET.reveal();
    if (!isSignedByStripe(secret, body, headers['stripe-signature'] ?? ''))
      return rejectedReply(reject('unauthorized'));
    const news = readStripeCallback(body);
    if (!news) return rejectedReply(reject('malformed'));
    const about = news.kind === 'other' ? undefined : ours.safeParse(news.metadata).data;
    // Other subscriptions of the same customer are none of ours, nor are those of another installation.
    if (news.kind === 'other' || !about || !(await this.#isOurs(about))) return jsonReply({ received: 0 });
    const { account_id: accountId, number_id: id } = about;
    // What the purchase itself led to belongs to the request that asked for it.
    const correlationId =
      news.kind === 'first_paid' ? (about.request_id ?? message.correlationId) : message.correlationId;
    const actor = { kind: 'provider', id: provider } as const;
    const { metadata } = causeOf({ ...message, actor, correlationId });
    const result = await this.#aggregates.execute({
      streamId: numberStream(id),
      category: numberCategory,
      accountId,
      fold: phoneNumber,
      metadata,
      command: { commandId: uuidv5(news.id, newsSpace), fingerprint: null },
      decide: (state) => applyPaymentNews(state, news, { accountId, correlationId }),
    });
    return result.kind === 'rejected'
      ? { kind: 'rejected', rejection: result.rejection }
      : jsonReply({ received: 1 });
  }

  /** Ids of numbers and accounts are the same in many installations, which may have one provider's account. */
  async #isOurs({ number_id, account_id, purchase_id }: z.output<typeof ours>): Promise<boolean> {
    const { state, accountId } = await this.#aggregates.load(numberStream(number_id), phoneNumber);
    return accountId === account_id && state?.purchaseId === purchase_id;
  }
}
