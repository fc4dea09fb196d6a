import { Inject, Injectable } from '@nestjs/common';
import type { ExecuteResult } from '@parley/event-store';
import { throughOutages, untilTold } from '@parley/processing';
import type { ChatPlatform } from '@parley/providers';
import { AccountBalance, CLOSING, isDone } from '@parley/service-kit';
import { Conversations } from '../../conversation/conversations.ts';
import { CHAT_PLATFORM } from '../../platform/chat-platform.ts';
import type { StartedSend } from '../message.ts';
import { type DecideMessage, MessageLog } from '../message-log.ts';
import type { Attempt } from './attempt.ts';
import { recordRefused, recordUnknown } from './record-outcome.ts';
import { sendFailed } from './send-failed.ts';

/**
 * Hands over to the chat platform the messages whose send is on record, and records the platform's answer, through any
 * outage of the database.
 */
@Injectable()
export class Handover {
  readonly #log: MessageLog;
  readonly #balance: AccountBalance;
  readonly #conversations: Conversations;
  readonly #platform: ChatPlatform;
  readonly #closing: AbortSignal;

  constructor(
    log: MessageLog,
    balance: AccountBalance,
    conversations: Conversations,
    @Inject(CHAT_PLATFORM) platform: ChatPlatform,
    @Inject(CLOSING) closing: AbortSignal,
  ) {
    this.#log = log;
    this.#balance = balance;
    this.#conversations = conversations;
    this.#platform = platform;
    this.#closing = closing;
  }

  /** Hands the message over, once, and returns the answer of the request. */
  async handOver(attempt: Attempt, start: StartedSend): Promise<ExecuteResult> {
    const { sender, contactPhone: to, content } = attempt.draft;
    const { reference } = start;
    const outcome = await this.#platform.send(sender.ref, { to, reference, content });
    switch (outcome.kind) {
      case 'ok':
        return this.#settleSent(attempt, start, outcome.value.messageId);
      case 'unknown':
        await this.#record(attempt, (state) => recordUnknown(state, outcome.message));
        return this.#answerOnceKnown(attempt, start);
      case 'rejected':
      case 'unavailable': {
        const code = outcome.kind === 'rejected' ? outcome.code : null;
        const refusal = { code, reason: outcome.message };
        await this.#record(attempt, (state) => recordRefused(state, refusal));
        if (attempt.hold) await isDone(this.#balance.release(attempt.hold));
        return { kind: 'rejected', rejection: sendFailed(outcome.kind, refusal) };
      }
      default:
        return outcome satisfies never;
    }
  }

  async #record({ draft, cause, messageId }: Attempt, decide: DecideMessage): Promise<void> {
    await throughOutages(this.#closing, () =>
      this.#log.change(messageId, draft.accountId, cause.metadata, decide),
    );
  }

  async #answerOnceKnown({ draft, cause, messageId }: Attempt, start: StartedSend): Promise<ExecuteResult> {
    await untilTold(() => this.#log.isOpen(messageId));
    const answer = await this.#log.answer(messageId, draft.accountId, cause);
    if (answer.kind === 'done') await this.#conversations.takeOver(start, draft.accountId, cause.metadata);
    return answer;
  }

  /**
   * Captures the hold before the request is answered; where accounts does not answer, `message-check` does it later.
   */
  async #settleSent(
    { cause, draft, hold }: Attempt,
    start: StartedSend,
    messageSid: string,
  ): Promise<ExecuteResult> {
    const { accountId, priceMicros } = draft;
    const { metadata } = cause;
    await throughOutages(this.#closing, () => this.#conversations.takeOver(start, accountId, metadata));
    const isPaid = hold === null || (await isDone(this.#balance.capture(hold, priceMicros)));
    const sent = { messageSid, payment: isPaid ? 'charged' : 'open' } as const;
    return throughOutages(this.#closing, () => this.#log.complete(start, accountId, metadata, sent));
  }
}
