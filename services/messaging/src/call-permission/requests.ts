import { Inject, Injectable } from '@nestjs/common';
import { type OperationInput, type Rejection, reject, type requestCallPermission } from '@parley/contracts';
import { Aggregates, type Clock, type ExecuteResult, type SqlExecutor } from '@parley/event-store';
import { isPhoneNumber } from '@parley/phone-numbers';
import { throughOutages, underLease, untilTold } from '@parley/processing';
import type { ChatPlatform } from '@parley/providers';
import { type Cause, CLOCK, CLOSING, CONFIG, READ_POOL } from '@parley/service-kit';
import type { MessagingConfig } from '../config.ts';
import { CHAT_PLATFORM } from '../platform/chat-platform.ts';
import { DirectoryAt } from '../views/directory-at.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import { askMessage } from './ask-message.ts';
import {
  type AskOutcome,
  afterAsk,
  type Contact,
  notAsked,
  outcomeUnknown,
  renewAsk,
  settleAsk,
  startAsk,
} from './asking.ts';
import { circumstancesAt } from './circumstances.ts';
import { ContactConversations } from './contact-conversations.ts';
import { findOpenAsk } from './open-ask.ts';
import { PermissionLog } from './permission-log.ts';
import { renderPermission } from './render.ts';
import type { PermissionTerms } from './standing.ts';
import { termsOf } from './terms.ts';

/** A request for permission, and what it is about. */
interface Request extends Contact {
  readonly accountId: number;
  readonly askId: string;
  readonly sender: KnownSender;
  /** `null` when the sender has no template to ask with. */
  readonly template: KnownTemplate | null;
  readonly recipientName: string | null;
  readonly conversationId: string | null;
  readonly cause: Cause;
}

/**
 * Asks customers for permission to call: checks and records the ask in one append, hands it over once, and answers by
 * the outcome, which is recorded through any outage of the database.
 */
@Injectable()
export class CallPermissionRequests {
  readonly #aggregates: Aggregates;
  readonly #log: PermissionLog;
  readonly #directory: DirectoryAt;
  readonly #sql: SqlExecutor;
  readonly #conversations: ContactConversations;
  readonly #platform: ChatPlatform;
  readonly #clock: Clock;
  readonly #terms: PermissionTerms;
  readonly #closing: AbortSignal;

  constructor(
    aggregates: Aggregates,
    directory: DirectoryAt,
    conversations: ContactConversations,
    @Inject(CHAT_PLATFORM) platform: ChatPlatform,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: MessagingConfig,
    @Inject(CLOSING) closing: AbortSignal,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#log = new PermissionLog(aggregates);
    this.#directory = directory;
    this.#sql = sql;
    this.#conversations = conversations;
    this.#platform = platform;
    this.#clock = clock;
    this.#terms = termsOf(config);
    this.#closing = closing;
  }

  async ask(
    accountId: number,
    input: OperationInput<typeof requestCallPermission>,
    cause: Cause & { readonly command: NonNullable<Cause['command']> },
  ): Promise<ExecuteResult> {
    const answered = await this.#aggregates.answerOf(cause.command);
    if (answered) return answered;
    const open = await findOpenAsk(this.#aggregates, this.#sql, cause.command.commandId);
    if (open && open.fingerprint !== cause.command.fingerprint)
      return refused(reject('idempotency_key_reuse'));
    const { sender_id: senderId, recipient_phone: recipientPhone } = input;
    const sender = await this.#directory.sender(accountId, senderId);
    if (!sender) return refused(reject('not_found'));
    if (!isPhoneNumber(recipientPhone)) return refused(reject('invalid_phone'));
    const { phone } = await this.#conversations.known({ senderId, phone: recipientPhone });
    const [template, conversationId] = await Promise.all([
      this.#directory.voiceTemplate(accountId, senderId, input.template_id ?? null),
      this.#conversations.uuidOf({ senderId, phone }),
    ]);
    const request = {
      ...{ accountId, sender, senderId, phone, conversationId, cause },
      template: template ?? null,
      askId: cause.command.commandId,
      recipientName: input.recipient_name ?? null,
    };
    const start = await this.#start(request);
    if (start.kind === 'rejected') return start;
    const { ask } = JSON.parse(start.body);
    if (ask === 'sent' || !template) return this.#settle(request, { kind: 'sent', messageSid: null });
    return underLease(
      () => this.#renew(request),
      () => this.#handOver(request, template),
    );
  }

  #renew(request: Request): Promise<ExecuteResult> {
    const { accountId, askId, cause } = request;
    return this.#log.change(request, {
      accountId,
      metadata: cause.metadata,
      command: null,
      decide: (state) => renewAsk(state, request, askId),
    });
  }

  /** Of asks at the same time, on any copy of the service, the stream's version lets one through. */
  #start(request: Request): Promise<ExecuteResult> {
    const { accountId, cause, template, senderId, phone, askId, conversationId } = request;
    return this.#log.change(request, {
      accountId,
      metadata: cause.metadata,
      // The answer is not known yet, so no command is recorded: until then the ask itself stands for it, by its id.
      command: null,
      decide: async (state) =>
        startAsk(circumstancesAt(await this.#clock.now(), state, this.#about(request)), {
          ...{ senderId, phone, askId, conversationId },
          fingerprint: cause.command?.fingerprint ?? null,
          templateId: template?.id ?? null,
        }),
    });
  }

  /** Hands the ask over. It is on record by now, and never handed over a second time. */
  async #handOver(request: Request, template: KnownTemplate): Promise<ExecuteResult> {
    const { sender, phone, askId, recipientName: name } = request;
    const ref = { phoneNumberId: sender.phoneNumberId, accountId: sender.platformAccountId };
    const outcome = await this.#platform.send(ref, askMessage(template, { askId, phone, name }));
    switch (outcome.kind) {
      case 'ok':
        return this.#settle(request, { kind: 'sent', messageSid: outcome.value.messageId });
      case 'rejected':
        await this.#record(request, { kind: 'failed', code: outcome.code, reason: outcome.message });
        return refused(
          reject('send_failed', {
            message: `The chat platform rejected the request: ${outcome.message}`,
            details: { outcome: 'not_sent', provider_code: outcome.code },
          }),
        );
      case 'unavailable':
        await this.#record(request, { kind: 'failed', code: null, reason: outcome.message });
        return refused(reject('unavailable', { retryAfterSeconds: 5 }));
      case 'unknown':
        await this.#record(request, { kind: 'unknown', reason: outcome.message });
        return this.#answerOnceKnown(request);
      default:
        return outcome satisfies never;
    }
  }

  async #answerOnceKnown(request: Request): Promise<ExecuteResult> {
    const find = async () => {
      const { state } = await this.#log.load(request);
      return state.asks.find(({ id }) => id === request.askId);
    };
    await untilTold(async () => (await find())?.status === 'unknown');
    const ask = await find();
    if (!ask) return refused(notAsked());
    if (ask.status !== 'sent') return refused(outcomeUnknown());
    return this.#settle(request, { kind: 'sent', messageSid: ask.messageSid });
  }

  /** Records the outcome with the command's answer; rejects when a status has told meanwhile that the ask failed. */
  #settle(request: Request, outcome: AskOutcome): Promise<ExecuteResult> {
    const { accountId, askId, cause, conversationId } = request;
    return this.#change(request, {
      accountId,
      ...cause,
      decide: async (state) => {
        if (!state.asks.some(({ id }) => id === askId)) return notAsked();
        const events = settleAsk(state, request, askId, outcome);
        const about = circumstancesAt(await this.#clock.now(), state, this.#about(request));
        return {
          events,
          ...afterAsk(request, askId),
          reply: renderPermission(request, conversationId, about),
        };
      },
    });
  }

  async #record(request: Request, outcome: AskOutcome): Promise<void> {
    const { accountId, askId, cause } = request;
    await this.#change(request, {
      accountId,
      metadata: cause.metadata,
      command: null,
      decide: (state) => ({
        events: settleAsk(state, request, askId, outcome),
        ...(outcome.kind === 'failed' && afterAsk(request, askId)),
        reply: '{}',
      }),
    });
  }

  #change(request: Request, change: Parameters<PermissionLog['change']>[1]): Promise<ExecuteResult> {
    return throughOutages(this.#closing, () => this.#log.change(request, change));
  }

  #about({ sender, template }: Request) {
    return { sender, template, terms: this.#terms };
  }
}

const refused = (rejection: Rejection): ExecuteResult => ({ kind: 'rejected', rejection });
