import { Inject, Injectable } from '@nestjs/common';
import {
  type explainSend,
  type OperationInput,
  type Rejection,
  reject,
  sendChatAppTemplate,
  subjectOf,
  takeRateLimit,
} from '@parley/contracts';
import { type Clock, type EventStore, happenedBy } from '@parley/event-store';
import { type BusClient, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import {
  AccountBalance,
  accountOf,
  BUS_CLIENT,
  CLOCK,
  CONFIG,
  EVENT_STORE,
  explainedEventOf,
  type PastMoment,
} from '@parley/service-kit';
import type { MessagingConfig } from '../../config.ts';
import { Recipients } from '../../recipients/recipients.ts';
import { senderStream } from '../../sender/sender.ts';
import { templateStream } from '../../template/template.ts';
import { DirectoryAt } from '../../views/directory-at.ts';
import type { KnownSender } from '../../views/sender-queries.ts';
import type { KnownTemplate } from '../../views/template-queries.ts';
import { messageStream } from '../message.ts';
import type { ConsideredSend, Finding } from './explain-send.ts';
import { templatePrice } from './prices.ts';
import type { TemplateValues } from './template-body.ts';

type Looked = Pick<OperationInput<typeof explainSend>, 'sender_id' | 'template_id' | 'recipient_phone'>;

/** Collects what a template send depends on, now or at a past moment; changes nothing. */
@Injectable()
export class SendPreview {
  readonly #directory: DirectoryAt;
  readonly #recipients: Recipients;
  readonly #balance: AccountBalance;
  readonly #bus: BusClient;
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #config: MessagingConfig;

  constructor(
    directory: DirectoryAt,
    recipients: Recipients,
    balance: AccountBalance,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: MessagingConfig,
  ) {
    this.#directory = directory;
    this.#recipients = recipients;
    this.#balance = balance;
    this.#bus = bus;
    this.#store = store;
    this.#clock = clock;
    this.#config = config;
  }

  /** What the rules of this send look at; a rejection when the account has no such sender. */
  async of(
    input: Looked,
    variables: TemplateValues,
    context: MessageContext,
    past?: PastMoment,
  ): Promise<ConsideredSend | Rejection> {
    const { sender_id: senderId, template_id: templateId, recipient_phone: recipientPhone } = input;
    const accountId = accountOf(context);
    const [sender, template] = await Promise.all([
      this.#directory.sender(accountId, senderId, past),
      this.#directory.template(accountId, senderId, templateId, past),
    ]);
    if (!sender) return reject('sender_not_found');
    const now = (past?.at ?? (await this.#clock.now())).getTime();
    const streams = [senderStream(senderId), ...(template ? [templateStream(templateId)] : [])];
    const [rateLimit, messagingLimit, balance, ...recorded] = await Promise.all([
      past ? notKept : this.#rateLimit(now, context),
      this.#messagingLimit(sender, recipientPhone, past),
      this.#balanceFor(template, context, past),
      ...streams.map((stream) => this.#store.readStream(stream)),
    ]);
    return {
      ...{ senderId, templateId, sender, template, recipientPhone, variables, now },
      ...{ recorded: recorded.flat().filter(happenedBy(past ?? {})), rateLimit, messagingLimit, balance },
    };
  }

  async #rateLimit(now: number, context: MessageContext): Promise<Finding> {
    const { name: operation, rateLimits = [] } = sendChatAppTemplate;
    const limits = rateLimits.map(({ name, max, windowMs }) => ({ name, max, window_ms: windowMs }));
    const reply = await this.#bus.request({
      service: takeRateLimit.service,
      subject: subjectOf(takeRateLimit),
      payload: JSON.stringify({ account_id: accountOf(context), operation, limits, consume: false }),
      context: { ...context, expectedVersion: null },
    });
    if (reply.kind === 'rejected') throw new ServiceUnavailable(reply.rejection.code);
    const { allowed, limit, remaining, retry_after } = takeRateLimit.output.parse(JSON.parse(reply.body));
    return {
      refusal: allowed ? null : reject('too_many_attempts'),
      details: { limit: limit.max, remaining },
      event: null,
      flipsAt: allowed ? null : now + retry_after * 1_000,
    };
  }

  async #messagingLimit(
    sender: KnownSender,
    contactPhone: string,
    past: PastMoment | undefined,
  ): Promise<Finding> {
    const { accountId, id: senderId, messagingLimit: limit } = sender;
    const recipient = { accountId, senderId, limit, contactPhone };
    const { refusal, used, messageId, flipsAt } = await this.#recipients.standing(recipient, past?.atExactly);
    const events = messageId === null ? [] : await this.#store.readStream(messageStream(messageId));
    const started = events.find(({ type }) => type === 'MessageSendStarted');
    return { refusal, details: { limit, used }, event: started ? explainedEventOf(started) : null, flipsAt };
  }

  async #balanceFor(
    template: KnownTemplate | undefined,
    context: MessageContext,
    past: PastMoment | undefined,
  ): Promise<Finding> {
    const unasked = { details: null, event: null, flipsAt: null };
    if (!template) return { ...unasked, refusal: undefined };
    const price = templatePrice(this.#config, template.category);
    // As in a send: what costs nothing leaves the balance alone.
    if (price === 0) return { ...unasked, refusal: null };
    const standing = await this.#balance.check(
      accountOf(context),
      price,
      context.correlationId,
      past?.atExactly,
    );
    const { is_enough, available_micros, event } = standing;
    return {
      refusal: is_enough ? null : reject('insufficient_balance'),
      details: { price_micros: price, available_micros },
      event,
      flipsAt: null,
    };
  }
}

const notKept: Finding = {
  refusal: undefined,
  explanation: 'How many requests were made then is not kept.',
  details: null,
  event: null,
  flipsAt: null,
};
