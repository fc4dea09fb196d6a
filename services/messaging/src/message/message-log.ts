import { Injectable } from '@nestjs/common';
import type { MessageEvent, Rejection } from '@parley/contracts';
import { Aggregates, type Decision, type EventMetadata, type ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin, earlierSend } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import {
  isAtWork,
  isOpen,
  type Message,
  message,
  messageCategory,
  messageStream,
  type StartedSend,
} from './message.ts';
import { answerRequest } from './outgoing/answer-request.ts';
import { type Checked, messageChecks } from './outgoing/message-check.ts';
import { type Payment, recordSent } from './outgoing/record-outcome.ts';

export type DecideMessage<Reply = unknown> = (state: Message) => Decision<MessageEvent, Reply> | Rejection;

interface ChangeOptions {
  /** The command that the reply answers; null when absent. */
  readonly command?: Cause['command'];
  /** The id is fresh, so that there is no stream to read. */
  readonly isNew?: boolean;
}

/** The streams of messages; each change is one append. */
@Injectable()
export class MessageLog {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  load(id: number) {
    return this.#aggregates.load(messageStream(id), message);
  }

  /** Whether the message is on record without a known outcome. */
  async isOpen(id: number): Promise<boolean> {
    const { state } = await this.load(id);
    return state?.direction === 'outbound' && isOpen(state);
  }

  /**
   * Sets the message's check, and ties the request to the message. Returns the id of the message that the request was
   * tied to before; null when there was none.
   */
  async prepare(checked: Checked, accountId: number, metadata: EventMetadata): Promise<number | null> {
    const decide = () => messageChecks.prepare(checked);
    return earlierSend(await this.change(checked.message_id, accountId, metadata, decide, { isNew: true }));
  }

  /** Postpones the message's check while its send is under way. */
  async renew(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.message_id, accountId, metadata, (state) =>
      messageChecks.renew(isAtWork(state), checked),
    );
  }

  /** Undoes `prepare`: nothing was handed over, and the request may be made again. */
  async abandon(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.message_id, accountId, metadata, () => messageChecks.abandon(checked));
  }

  /** Records that the platform has taken the message; its answer is that of the command for ever. */
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

  /** `rejection`, unless the command was answered before: then that answer. */
  async refuse(rejection: Rejection, { command }: Cause): Promise<ExecuteResult> {
    const answered = command && (await this.#aggregates.answerOf(command));
    return answered ?? { kind: 'rejected', rejection };
  }

  /** The answer of the request that has sent this message. */
  answer(id: number, accountId: number, { command, metadata }: Cause): Promise<ExecuteResult> {
    const decide = (state: Message) => answerRequest(state, command?.fingerprint ?? null);
    return this.change(id, accountId, metadata, decide, { command });
  }

  /** Appends what `decide` decides; its timers carry the account and the trace. */
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
