import { Injectable } from '@nestjs/common';
import type { MessageEvent, Rejection } from '@parley/contracts';
import { Aggregates, type Decision, type EventMetadata, type ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin, earlierSend } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import { answerRequest } from './answer-request.ts';
import {
  isAtWork,
  isOpen,
  type Message,
  message,
  messageCategory,
  messageStream,
  type StartedSend,
} from './message.ts';
import { type Checked, messageChecks } from './message-check.ts';
import { type Payment, recordSent } from './record-outcome.ts';

export type DecideMessage<Reply = unknown> = (state: Message) => Decision<MessageEvent, Reply> | Rejection;

interface ChangeOptions {
  /** That the reply answers; null when absent. */
  readonly command?: Cause['command'];
  /** The id was allocated just now: there is nothing to read. */
  readonly isNew?: boolean;
}

/** The streams of messages: each change one append. */
@Injectable()
export class MessageLog {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  load(id: number) {
    return this.#aggregates.load(messageStream(id), message);
  }

  /** Whether it is on record and still open what became of it. */
  async isOpen(id: number): Promise<boolean> {
    const { state } = await this.load(id);
    return state?.direction === 'outbound' && isOpen(state);
  }

  /** Sets the check that cleans up, and ties the request to the message. Returns the message it is tied to already. */
  async prepare(checked: Checked, accountId: number, metadata: EventMetadata): Promise<number | null> {
    const decide = () => messageChecks.prepare(checked);
    return earlierSend(await this.change(checked.message_id, accountId, metadata, decide, { isNew: true }));
  }

  /** Somebody is still at it. */
  async renew(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.message_id, accountId, metadata, (state) =>
      messageChecks.renew(isAtWork(state), checked),
    );
  }

  /** Takes the preparation back: nothing was handed over, and the request may be made again. */
  async abandon(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.message_id, accountId, metadata, () => messageChecks.abandon(checked));
  }

  /** The platform has taken it: the request's answer is kept for ever. */
  complete(
    start: StartedSend,
    accountId: number,
    metadata: EventMetadata,
    { messageSid, payment }: { readonly messageSid: string; readonly payment: Payment },
  ): Promise<ExecuteResult> {
    const { message_id, command_id, command_fingerprint: fingerprint } = start;
    const command = command_id === null ? null : { commandId: command_id, fingerprint };
    const decide = (state: Message) => recordSent(state, messageSid, payment);
    return this.change(message_id, accountId, metadata, decide, { command });
  }

  /** `rejection`, unless the request is known and was answered otherwise. */
  async refuse(rejection: Rejection, { command }: Cause): Promise<ExecuteResult> {
    const answered = command && (await this.#aggregates.answerOf(command));
    return answered ?? { kind: 'rejected', rejection };
  }

  /** What a request is answered with whose message this is. */
  answer(id: number, accountId: number, { command, metadata }: Cause): Promise<ExecuteResult> {
    const decide = (state: Message) => answerRequest(state, command?.fingerprint ?? null);
    return this.change(id, accountId, metadata, decide, { command });
  }

  /** Appends what `decide` wants; its timers learn whose message it is. */
  change<Reply>(
    id: number,
    accountId: number | null,
    metadata: EventMetadata,
    decide: DecideMessage<Reply>,
    { command = null, isNew = false }: ChangeOptions = {},
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      streamId: messageStream(id),
      category: messageCategory,
      accountId,
      fold: message,
      isNew,
      metadata,
      command,
      decide: (state) => decidedWithOrigin(decide(state), accountId, metadata),
    });
  }
}
