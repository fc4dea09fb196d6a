import { Inject, Injectable } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import {
  createIdAllocator,
  type ExecuteResult,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { AccountBalance, type Cause, CLOSING, newHold, READ_POOL, sendOnce } from '@parley/service-kit';
import { Conversations } from '../../conversation/conversations.ts';
import { Recipients } from '../../recipients/recipients.ts';
import { type Draft, recipientOf } from '../draft/draft.ts';
import { isSent, newReferenceOf, type StartedSend } from '../message.ts';
import { MessageLog } from '../message-log.ts';
import { type Attempt, checkedOf } from './attempt.ts';
import { Handover } from './handover.ts';
import { messageChecks } from './message-check.ts';
import { type SendStart, startSend } from './start-send.ts';
import { takeBack } from './take-back.ts';

/**
 * Sends messages: prepares, reserves the price, records the send, hands over once, answers. If the process dies in
 * between, `message-check` settles the message.
 */
@Injectable()
export class Outbox {
  readonly #log: MessageLog;
  readonly #balance: AccountBalance;
  readonly #conversations: Conversations;
  readonly #recipients: Recipients;
  readonly #handover: Handover;
  readonly #sql: SqlExecutor;
  readonly #closing: AbortSignal;
  readonly #messageIds: IdAllocator;
  readonly #chatappMessageIds: IdAllocator;

  constructor(
    log: MessageLog,
    @Inject(READ_POOL) sql: SqlExecutor,
    balance: AccountBalance,
    conversations: Conversations,
    recipients: Recipients,
    handover: Handover,
    @Inject(CLOSING) closing: AbortSignal,
  ) {
    this.#log = log;
    this.#balance = balance;
    this.#conversations = conversations;
    this.#recipients = recipients;
    this.#handover = handover;
    this.#sql = sql;
    this.#closing = closing;
    this.#messageIds = createIdAllocator(sql, 'message_ids');
    this.#chatappMessageIds = createIdAllocator(sql, 'chatapp_message_ids');
  }

  /** Sends a message and returns the answer. A repeated request is answered by what became of its first message. */
  async send(draft: Draft, cause: Cause): Promise<ExecuteResult> {
    const { accountId } = draft;
    const refusal = await this.#recipients.refusal(recipientOf(draft));
    if (refusal) return this.refuse(refusal, accountId, cause);
    const attempt = await this.#attempt(draft, cause);
    const checked = checkedOf(attempt);
    const { metadata } = cause;
    const { hold, messageId } = attempt;
    return sendOnce(
      {
        hold,
        refusedUnpaid: ['insufficient_balance'],
        prepare: () => this.#log.prepare(checked, accountId, metadata),
        answer: (earlier) => this.#log.answer(earlier, accountId, cause),
        renew: () => this.#log.renew(checked, accountId, metadata),
        begin: async () => (await this.#reserve(attempt)) ?? (await this.#start(attempt)),
        handOver: (start) => this.#handover.handOver(attempt, start),
        abandon: () => this.#log.abandon(checked, accountId, metadata),
        takeBack: () => this.#log.change(messageId, accountId, metadata, (state) => takeBack(state, checked)),
      },
      { balance: this.#balance, closing: this.#closing },
    );
  }

  /** Refuses a request before anything was done; a repeated one is answered by what became of its first message. */
  async refuse(rejection: Rejection, accountId: number, cause: Cause): Promise<ExecuteResult> {
    const { command } = cause;
    const earlier = command && (await messageChecks.ofRequest(this.#sql, command.commandId));
    return earlier === null
      ? this.#log.refuse(rejection, cause)
      : this.#log.answer(earlier, accountId, cause);
  }

  /**
   * The id of the message that the command has sent, also when the platform reported that late; `null` while none is
   * known.
   */
  async sentFor(commandId: string, accountId: number): Promise<number | null> {
    const id = await messageChecks.ofRequest(this.#sql, commandId);
    if (id === null) return null;
    const { state, accountId: owner } = await this.#log.load(id);
    return owner === accountId && isSent(state) ? id : null;
  }

  async #attempt(draft: Draft, cause: Cause): Promise<Attempt> {
    const [messageId, chatappMessageId] = await Promise.all([
      this.#messageIds.next(),
      this.#chatappMessageIds.next(),
    ]);
    const { accountId, priceMicros } = draft;
    const hold = newHold(accountId, priceMicros, cause.metadata);
    return { draft, cause, messageId, chatappMessageId, hold };
  }

  /** Reserves the price, then a place of the messaging limit; the refusal, or null when both are taken. */
  async #reserve(attempt: Attempt): Promise<Rejection | null> {
    const { draft, cause, messageId, hold } = attempt;
    const { priceMicros: amountMicros, description } = draft;
    if (hold) {
      const reference = `message/${messageId}`;
      try {
        const refused = await this.#balance.reserve(hold, { amountMicros, description, reference });
        if (refused) return refused;
      } catch (error) {
        // Nothing was reserved. After a time-out something may have been, which `message-check` gives back.
        if (error instanceof ServiceUnavailable) return reject('unavailable', { retryAfterSeconds: 1 });
        throw error;
      }
    }
    return this.#recipients.admit(recipientOf(draft), checkedOf(attempt), cause.metadata);
  }

  /** Records the send before the platform is asked; a rejection when the message was dropped meanwhile. */
  async #start(attempt: Attempt): Promise<StartedSend | Rejection> {
    const { draft, cause, messageId, chatappMessageId, hold } = attempt;
    const { accountId, sender, contactPhone, contactName, author, kind, templateId, body } = draft;
    const parties = { accountId, senderId: sender.id, contactPhone };
    const conversation = await this.#conversations.findOrStart(
      parties,
      { given: contactName },
      cause.metadata,
    );
    const start: StartedSend = {
      message_id: messageId,
      conversation_id: conversation.id,
      conversation_uuid: conversation.uuid,
      sender_id: sender.id,
      contact_phone: contactPhone,
      chatapp_message_id: chatappMessageId,
      author,
      kind,
      template_id: templateId,
      body,
      price_micros: draft.priceMicros,
      hold_id: hold?.holdId ?? null,
      command_id: cause.command?.commandId ?? null,
      command_fingerprint: cause.command?.fingerprint ?? null,
      in_reply_to: draft.inReplyTo,
      reference: newReferenceOf(messageId),
    };
    const result = await this.#log.change(messageId, accountId, cause.metadata, (state) =>
      startSend(state, start),
    );
    // `decide` rejects only with codes of the contracts.
    if (result.kind === 'rejected') return result.rejection as Rejection;
    const { isStarted }: SendStart = JSON.parse(result.body);
    return isStarted ? start : reject('contended');
  }
}
