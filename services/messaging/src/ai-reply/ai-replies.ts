import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { FairSemaphore } from '@parley/batching';
import type { OperationSuccess, sendChatAppTemplate } from '@parley/contracts';
import type { EventMetadata, ExecuteResult } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import { underLease } from '@parley/processing';
import type { AccountBalance } from '@parley/service-kit';
import type { MessagingConfig } from '../config.ts';
import { recordNotAnswered } from '../message/incoming/not-answered.ts';
import type { Message } from '../message/message.ts';
import type { MessageLog } from '../message/message-log.ts';
import type { Outbox } from '../message/outgoing/outbox.ts';
import type { Directory } from '../views/directory.ts';
import { type Asked, askWithLess } from './ask-with-less.ts';
import { lookUpAssistant } from './assistant-lookup.ts';
import { inChatFormat } from './chat-format.ts';
import { type Completion, type LanguageModel, maxQuestions } from './language-model.ts';
import type { Question, Questions } from './questions.ts';
import { draftReply, replyCommandId } from './reply-draft.ts';
import { maxCharacters, partsOf } from './reply-parts.ts';
import { heldEveryMs, holdReply, replyTimerId } from './reply-timer.ts';

/** Milliseconds that a reply waits for a place; then its timer has whichever copy begin it again. */
const turnTimeoutMs = 20_000;
/** Milliseconds that a process which is told to end gives the replies under way; less than it is given itself. */
const graceMs = 7_000;
/**
 * Codes of refusals that would be the same on the next attempt; after any other code, and where a time is told after which
 * to ask again, the reply is tried again.
 */
const finalCodes = ['insufficient_balance', 'model_refused', 'send_failed', 'too_many_replies'] as const;
const cut = (text: string): string => [...text].slice(0, maxCharacters).join('');
const finalOf = (code: string) => finalCodes.find((final) => final === code);

const asReplier = (metadata: EventMetadata, commandId: string | null): EventMetadata => ({
  ...metadata,
  commandId,
  actor: { kind: 'system', id: 'ai-reply' },
});

/** Why no reply was sent; with a time where it may be sent later. */
interface Refusal {
  readonly code: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** The answer of a message that was sent. */
type Sent = OperationSuccess<typeof sendChatAppTemplate>;

interface Parts {
  readonly questions: Questions;
  readonly directory: Directory;
  readonly log: MessageLog;
  readonly outbox: Outbox;
  readonly balance: AccountBalance;
  readonly model: LanguageModel;
  readonly bus: BusClient;
  readonly config: MessagingConfig;
  readonly logger: Logger;
}

/**
 * Has assistants reply to what contacts write: at most once to each message, however often it is told or tried. Several
 * messages in a row get one reply, to the last of them.
 */
export class AiReplies {
  readonly #parts: Parts;
  /** Model requests at once, at most half of them of one account, so that others have room while the model is slow. */
  readonly #places = new FairSemaphore<number>({ max: maxQuestions, maxPerKey: maxQuestions / 2 });

  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Begins the reply to a message and returns at once. Its timer stays away meanwhile; when the reply fails, or its
   * process dies, that begins it again, as attempt `next`.
   */
  begin(messageId: number, accountId: number, metadata: EventMetadata, next?: number): void {
    const { log, logger } = this.#parts;
    const startedAt = performance.now();
    const hold = () =>
      log.change(messageId, accountId, asReplier(metadata, null), (state) =>
        holdReply(state, { attempt: next, sinceMs: performance.now() - startedAt }),
      );
    const reply = () => this.#replyInTurn(messageId, accountId, metadata);
    const running: Promise<unknown> = underLease(hold, reply, heldEveryMs)
      .catch((error: unknown) =>
        logger.warn({ err: error, messageId }, 'no reply was given; it is tried again'),
      )
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  /**
   * Resolves when the replies under way have ended, or after some seconds: whoever stops a process must not leave a
   * message half handed over, nor a customer waiting for the timer.
   */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.#underWay), sleep(graceMs, undefined, { ref: false })]);
  }

  async #replyInTurn(messageId: number, accountId: number, metadata: EventMetadata): Promise<void> {
    const giveBack = await this.#places.acquire(accountId, AbortSignal.timeout(turnTimeoutMs));
    await this.#reply(messageId, accountId, metadata).finally(giveBack);
  }

  async #reply(messageId: number, accountId: number, metadata: EventMetadata): Promise<void> {
    const { bus, config, directory, outbox, questions } = this.#parts;
    const question = await questions.wantedNow(messageId);
    if (!question) return;
    const { received } = question.message;
    const from = await directory.sender(accountId, received.sender_id);
    if (!from || from.assistantId === null) return;
    const { correlationId } = metadata;
    const { sent_at: sentAt, contact_phone: contactPhone } = received;
    const occasion = { sentAt, contactPhone, contactName: question.contactName };
    const assistant = await lookUpAssistant(bus, accountId, from.assistantId, correlationId, occasion);
    if (!assistant) return;
    if (await questions.isEndless(question))
      return this.#refused(messageId, accountId, metadata, { code: 'too_many_replies' });
    const shortage = await this.#shortage(accountId, correlationId);
    if (shortage) return this.#refused(messageId, accountId, metadata, shortage);
    // By the platform's id: message ids of our own are given again by other installations, and after a restore.
    const completion = await this.#complete(question, { ...assistant, about: received.message_sid });
    if (!completion) return;
    // Meanwhile the sender may have been given another assistant, or none, which stops the answering.
    const isTheirs = async () =>
      (await directory.sender(accountId, received.sender_id))?.assistantId === from.assistantId;
    if (!(await isTheirs())) return;
    if (completion.kind === 'refused')
      return this.#refused(messageId, accountId, metadata, { code: 'model_refused' }, completion.reason);
    const send = (body: string, part: number) => {
      const commandId = replyCommandId(messageId, part);
      return outbox.send(draftReply(received, from, { body, part, priceMicros: config.PRICE_AI_REPLY }), {
        metadata: asReplier(metadata, commandId),
        command: { commandId, fingerprint: null },
      });
    };
    const [first = '', ...more] = partsOf(inChatFormat(cut(completion.text)));
    const result = await send(first, 0);
    // With an unknown outcome the message may have been sent: its statuses tell.
    if (result.kind === 'rejected' && result.rejection.details?.outcome !== 'unknown')
      return this.#refused(messageId, accountId, metadata, result.rejection);
    if (more.length > 0 && result.kind === 'done' && (await this.#hasSent(result.body, first)))
      await this.#sendMore(more, messageId, send, isTheirs);
  }

  /** Whether this reply began with this text, and not with another one that another process was given. */
  async #hasSent(answer: string, text: string): Promise<boolean> {
    const { message_id }: Sent = JSON.parse(answer);
    const { state } = await this.#parts.log.load(message_id);
    return state?.direction === 'outbound' && state.start.body === text;
  }

  /**
   * Sends the rest of a reply, in its order, unless a person takes over meanwhile, the contact is erased or the assistant
   * stopped. Should the process die, what is left is not sent: the reply was given.
   */
  async #sendMore(
    more: readonly string[],
    messageId: number,
    send: (body: string, part: number) => Promise<ExecuteResult>,
    isTheirs: () => Promise<boolean>,
  ): Promise<void> {
    for (const [index, body] of more.entries()) {
      if (!(await this.#parts.questions.wanted(messageId)) || !(await isTheirs())) return;
      const result = await send(body, index + 1);
      if (result.kind === 'done') continue;
      this.#parts.logger.warn({ messageId, part: index + 1 }, 'a long reply was not sent to its end');
      return;
    }
  }

  /**
   * Asks the model, and asks again when the conversation changed meanwhile (such as an earlier reply that was just
   * being sent), `tries` times at most. `null` when no reply is wanted any more.
   */
  async #complete(question: Question, asked: Omit<Asked, 'history'>, tries = 3): Promise<Completion | null> {
    const history = await this.#parts.questions.history(question);
    const completion = await askWithLess(this.#parts.model, { ...asked, history });
    const hasSeenAll = isDeepStrictEqual(history, await this.#parts.questions.history(question));
    // Meanwhile a person may have answered or taken over, or the contact may have written more or been erased.
    if (!(await this.#parts.questions.wantedNow(question.message.received.message_id))) return null;
    if (hasSeenAll || tries === 1) return completion;
    return this.#complete(question, asked, tries - 1);
  }

  /** The refusal for want of money, if any. Checked before the model is asked, as the model costs money too. */
  async #shortage(accountId: number, correlationId: string): Promise<Refusal | null> {
    const price = this.#parts.config.PRICE_AI_REPLY;
    if (price === 0) return null;
    const standing = await this.#parts.balance.check(accountId, price, correlationId);
    if (standing.is_enough) return null;
    return { code: 'insufficient_balance', retryAfterSeconds: standing.retry_after_seconds };
  }

  async #refused(
    messageId: number,
    accountId: number,
    metadata: EventMetadata,
    { code, retryAfterSeconds }: Refusal,
    reason?: string,
  ): Promise<void> {
    // Only the log has the model's reason: its settings are the operator's concern.
    this.#parts.logger[code === 'model_refused' ? 'warn' : 'info'](
      { messageId, code, reason },
      'a reply was not sent',
    );
    const why = finalOf(code);
    if (why === undefined || retryAfterSeconds !== undefined) return;
    const cancelTimers = [replyTimerId(messageId)];
    const decide = (state: Message) => ({ ...recordNotAnswered(state, why), cancelTimers });
    await this.#parts.log.change(messageId, accountId, asReplier(metadata, null), decide);
  }
}
