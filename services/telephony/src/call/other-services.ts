import {
  assistantSettings,
  getAssistant,
  getSenderOfNumber,
  getSipAccountOfSender,
  type InternalMessage,
  listNumberAssignments,
  type OperationDefinition,
  subjectOf,
} from '@parley/contracts';
import { type BusClient, ServiceUnavailable } from '@parley/message-bus';
import { z } from 'zod';

const timeoutMs = 3_000;

const callingAssistant = z.object({
  data: assistantSettings.pick({ type: true, max_duration: true, phone_number_id: true, variables: true }),
});
export type CallingAssistant = z.output<typeof callingAssistant>['data'];

/** What calls need to know of others. Everything rejects with `ServiceUnavailable` when there is no answer. */
export class CallLookups {
  readonly #bus: BusClient;

  constructor(bus: BusClient) {
    this.#bus = bus;
  }

  /** `null` when the account has none of that id. */
  async assistant(accountId: number, id: number, correlationId: string): Promise<CallingAssistant | null> {
    const found = await this.#ask(getAssistant, { id }, accountId, correlationId);
    return found === null ? null : callingAssistant.parse(found).data;
  }

  /** The inbound assistant that answers on one of the account's numbers, when it has one. */
  async answering(
    accountId: number,
    phoneNumberId: number,
    correlationId: string,
  ): Promise<{ readonly id: number; readonly maxDurationS: number } | null> {
    const found = await this.#ask(listNumberAssignments, {}, accountId, correlationId);
    const { data } = listNumberAssignments.output.parse(found);
    const assigned = data.find(({ phone_number_id }) => phone_number_id === phoneNumberId);
    const assistant = assigned && (await this.assistant(accountId, assigned.assistant_id, correlationId));
    return assistant ? { id: assigned.assistant_id, maxDurationS: assistant.max_duration } : null;
  }

  /** As whom calls of a sender go out by the chat app's SIP server; null when it takes none of the sender's. */
  async sipAccountOf(accountId: number, senderId: number, correlationId: string) {
    const found = await this.#ask(getSipAccountOfSender, { sender_id: senderId }, accountId, correlationId);
    return found === null ? null : getSipAccountOfSender.output.parse(found).sip_account;
  }

  async senderOf(phoneNumber: string, correlationId: string) {
    const found = await this.#ask(getSenderOfNumber, { phone_number: phoneNumber }, null, correlationId);
    return found === null ? null : getSenderOfNumber.output.parse(found).sender;
  }

  /** The answer's body; `null` for `not_found`. */
  async #ask(
    message: InternalMessage | OperationDefinition,
    payload: object,
    accountId: number | null,
    correlationId: string,
  ): Promise<unknown> {
    const reply = await this.#bus.request({
      service: message.service,
      subject: subjectOf(message),
      payload: JSON.stringify(payload),
      context: {
        accountId,
        actor: { kind: 'system', id: 'telephony' },
        commandId: null,
        fingerprint: null,
        correlationId,
        expectedVersion: null,
        baseUrl: null,
        timeoutMs,
      },
    });
    if (reply.kind === 'ok') return JSON.parse(reply.body);
    if (reply.rejection.code === 'not_found') return null;
    throw new ServiceUnavailable(`${message.service}: ${reply.rejection.code}`);
  }
}
