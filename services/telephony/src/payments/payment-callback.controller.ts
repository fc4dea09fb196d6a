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
import type { z } from 'zod';
import type { TelephonyConfig } from '../config.ts';
import { numberCategory, numberStream, phoneNumber } from '../number/number.ts';
import { applyPaymentNews } from '../number/subscription/apply-payment-news.ts';
import { type SubscriptionMetadata, subscriptionMetadata } from './subscription-metadata.ts';

/** UUID namespace of the command ids, which are made from the provider's ids. */
const newsSpace = '3f4a6f0e-7f5b-5c55-9d2a-6c0f0e6f9b1d';
/** The only payment provider, as named in the callback's path. */
const stripe = 'stripe';

/** Callbacks of the payment provider, which the gateway passes on. A rejection makes the provider send them again. */
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
    const about = news.kind === 'other' ? undefined : subscriptionMetadata.safeParse(news.metadata).data;
    // The customer may have other subscriptions, and other installations may share the provider account.
    if (news.kind === 'other' || !about || !(await this.#isOurs(about))) return jsonReply({ received: 0 });
    const { account_id: accountId, number_id: id } = about;
    // What the purchase itself has caused belongs to the trace of its request.
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

  /**
   * Whether the purchase is ours: number and account ids are the same in other installations, which may share the
   * provider account.
   */
  async #isOurs({ number_id, account_id, purchase_id }: SubscriptionMetadata): Promise<boolean> {
    const { state, accountId } = await this.#aggregates.load(numberStream(number_id), phoneNumber);
    return accountId === account_id && state?.purchaseId === purchase_id;
  }
}
