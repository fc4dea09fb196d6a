import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import {
  createIdAllocator,
  type ExecuteResult,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { ChatPlatform } from '@parley/providers';
import { AccountBalance, type Cause, type Hold, READ_POOL, traceOf } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { Conversations } from '../conversation/conversations.ts';
import { CHAT_PLATFORM } from '../platform/chat-platform.ts';
import { Recipients } from '../recipients/recipients.ts';
import { type Draft, recipientOf } from './draft.ts';
import { referenceOf, type StartedSend } from './message.ts';
import type { Checked } from './message-check.ts';
import { MessageLog } from './message-log.ts';
import { recordRefused, recordUnknown } from './record-outcome.ts';
import { sendFailed } from './send-failed.ts';
import { startSend } from './start-send.ts';

/** Between the first reservation and the last word: what is known of one message while it is sent. */
interface Attempt {
  readonly draft: Draft;
  readonly cause: Cause;
  readonly messageId: number;
  readonly chatappMessageId: number;
  readonly hold: Hold | null;
}

/**
 * Sends messages: prepared, paid, on record, handed over once, answered. Of any two requests with one command id only
 * one sends; and whatever dies in between, `message-check` finds out what became of the message.
 */
@Injectable()
export class Outbox {
  readonly #log: MessageLog;
  readonly #balance: AccountBalance;
  readonly #conversations: Conversations;
  readonly #recipients: Recipients;
  readonly #platform: ChatPlatform;
  readonly #messageIds: IdAllocator;
  readonly #chatappMessageIds: IdAllocator;

  constructor(
    log: MessageLog,
    @Inject(READ_POOL) sql: SqlExecutor,
    balance: AccountBalance,
    conversations: Conversations,
    recipients: Recipients,
    @Inject(CHAT_PLATFORM) platform: ChatPlatform,
  ) {
    this.#log = log;
    this.#balance = balance;
    this.#conversations = conversations;
    this.#recipients = recipients;
    this.#platform = platform;
    this.#messageIds = createIdAllocator(sql, 'message_ids');
    this.#chatappMessageIds = createIdAllocator(sql, 'chatapp_message_ids');
  }

  /** The answer of a send. A request that was made before is answered by what became of its message. */
  async send(draft: Draft, cause: Cause): Promise<ExecuteResult> {
    const refusal = await this.#recipients.refusal(recipientOf(draft));
    if (refusal) return this.refuse(refusal, cause);
    const attempt = await this.#attempt(draft, cause);
    const { accountId } = draft;
    const earlier = await this.#log.prepare(checkedOf(attempt), accountId, cause.metadata);
    if (earlier !== null) return this.#log.answer(earlier, accountId, cause);
    const refused = await this.#reserve(attempt);
    if (refused) return this.#giveUp(attempt, refused);
    const start = await this.#start(attempt);
    return 'code' in start ? this.#giveUp(attempt, start) : this.#handOver(attempt, start);
  }

  /** A "no" before anything was done; unless the request was made before, and was answered then. */
  refuse(rejection: Rejection, cause: Cause): Promise<ExecuteResult> {
    return this.#log.refuse(rejection, cause);
  }

  async #attempt(draft: Draft, cause: Cause): Promise<Attempt> {
    const [messageId, chatappMessageId] = await Promise.all([
      this.#messageIds.next(),
      this.#chatappMessageIds.next(),
    ]);
    const { accountId, priceMicros } = draft;
    const hold = priceMicros === 0 ? null : { accountId, holdId: uuidv7(), ...traceOf(cause.metadata) };
    return { draft, cause, messageId, chatappMessageId, hold };
  }

  async #reserve({ draft, cause, messageId, hold }: Attempt): Promise<Rejection | null> {
    const { priceMicros: amountMicros, description } = draft;
    if (hold) {
      const reference = `message/${messageId}`;
      try {
        const refused = await this.#balance.reserve(hold, { amountMicros, description, reference });
        // Given back by the check, because it took too long: the request may be made again.
        if (refused?.code === 'hold_settled') return reject('unavailable', { retryAfterSeconds: 1 });
        if (refused) return refused;
      } catch (error) {
        // Nobody was asked; after a time-out the check gives back what may have been reserved.
        if (error instanceof ServiceUnavailable) return reject('unavailable', { retryAfterSeconds: 1 });
        throw error;
      }
    }
    return this.#recipients.admit(recipientOf(draft), messageId, cause.metadata);
  }

  /** Puts the intent on record. */
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
    };
    const result = await this.#log.change(messageId, accountId, cause.metadata, (state) =>
      startSend(state, start),
    );
    // `decide` rejects with codes of the contracts only.
    return result.kind === 'rejected' ? (result.rejection as Rejection) : start;
  }

  /** The intent is on record: from here on the message is never handed over a second time. */
  async #handOver(attempt: Attempt, start: StartedSend): Promise<ExecuteResult> {
    const { draft, cause, messageId } = attempt;
    const { accountId, sender, contactPhone: to, content } = draft;
    const outcome = await this.#platform.send(sender.ref, { to, reference: referenceOf(messageId), content });
    switch (outcome.kind) {
      case 'ok':
        return this.#settleSent(attempt, start, outcome.value.messageId);
      case 'unknown':
        await this.#log.change(messageId, accountId, cause.metadata, (state) =>
          recordUnknown(state, outcome.message),
        );
        return this.#answerOnceKnown(attempt, start);
      case 'rejected':
      case 'unavailable': {
        const code = outcome.kind === 'rejected' ? outcome.code : null;
        const refusal = { code, reason: outcome.message };
        await this.#log.change(messageId, accountId, cause.metadata, (state) =>
          recordRefused(state, refusal),
        );
        await this.#release(attempt);
        return { kind: 'rejected', rejection: sendFailed(outcome.kind, refusal) };
      }
      default:
        return outcome satisfies never;
    }
  }

  /** A message that the platform took without saying so is reported by one of its callbacks, most often at once. */
  async #answerOnceKnown({ draft, cause, messageId }: Attempt, start: StartedSend): Promise<ExecuteResult> {
    const deadline = performance.now() + unknownWaitMs;
    while (performance.now() < deadline) {
      await sleep(unknownPollMs);
      if (!(await this.#log.isOpen(messageId))) break;
    }
    const answer = await this.#log.answer(messageId, draft.accountId, cause);
    if (answer.kind === 'done') await this.#conversations.takeOver(start, draft.accountId, cause.metadata);
    return answer;
  }

  /** Paid before it is answered; where accounts gives no answer, the check sees to it. */
  async #settleSent(
    { cause, draft, hold }: Attempt,
    start: StartedSend,
    messageSid: string,
  ): Promise<ExecuteResult> {
    await this.#conversations.takeOver(start, draft.accountId, cause.metadata);
    const isPaid = hold === null || (await isDone(this.#balance.capture(hold, draft.priceMicros)));
    return this.#log.complete(start, draft.accountId, cause.metadata, {
      messageSid,
      payment: isPaid ? 'charged' : 'open',
    });
  }

  /** Nothing was handed over: as if the request had never been made. */
  async #giveUp(attempt: Attempt, rejection: Rejection): Promise<ExecuteResult> {
    const isFree = rejection.code === 'insufficient_balance' || (await this.#release(attempt));
    // Where accounts gives no answer, the check asks again, and lets the request be made again then.
    const giveUp = isFree ? this.#log.abandon : this.#log.checkAgain;
    await giveUp.call(this.#log, checkedOf(attempt), attempt.draft.accountId, attempt.cause.metadata);
    return { kind: 'rejected', rejection };
  }

  async #release({ hold }: Attempt): Promise<boolean> {
    return hold === null || isDone(this.#balance.release(hold));
  }
}

const unknownWaitMs = 1_000;
const unknownPollMs = 50;

const checkedOf = ({ cause, messageId, hold }: Attempt): Checked => ({
  message_id: messageId,
  hold_id: hold?.holdId ?? null,
  command_id: cause.command?.commandId ?? null,
});

/** Whether it was done; when not, the check does it later. */
const isDone = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
