import {
  assistantSettings,
  findObstacle,
  getAssistant,
  getSenderOfNumber,
  getSipAccountOfSender,
  listNumberAssignments,
} from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { asService, lookUp } from '@parley/service-kit';
import { z } from 'zod';

const callingAssistant = z.object({
  data: assistantSettings.pick({ type: true, max_duration: true, phone_number_id: true, variables: true }),
});
export type CallingAssistant = z.output<typeof callingAssistant>['data'];

/** What calls ask other services. Everything rejects with `ServiceUnavailable` when there is no answer. */
export class CallLookups {
  readonly #bus: BusClient;

  constructor(bus: BusClient) {
    this.#bus = bus;
  }

  /** The account's assistant; `null` when it has none of that id. */
  async assistant(accountId: number, id: number, correlationId: string): Promise<CallingAssistant | null> {
    const query = { ...getAssistant, output: callingAssistant };
    const found = await lookUp(this.#bus, query, { id }, asService('telephony', accountId, correlationId));
    return found?.data ?? null;
  }

  /**
   * The assistant that speaks in a call that Parley has not placed: the inbound one that answers on the number; in one
   * from it the outbound one that has it, if there is any. `null` when there is none, or several might have called.
   */
  async speaking(
    accountId: number,
    phoneNumberId: number,
    direction: 'inbound' | 'outbound',
    correlationId: string,
  ): Promise<{ readonly id: number; readonly maxDurationS: number } | null> {
    const context = asService('telephony', accountId, correlationId);
    const found = await lookUp(this.#bus, listNumberAssignments, { type: direction }, context);
    const assigned = found?.data.filter(({ phone_number_id }) => phone_number_id === phoneNumberId) ?? [];
    const [only, other] = assigned;
    if (!only && direction === 'outbound')
      return this.speaking(accountId, phoneNumberId, 'inbound', correlationId);
    if (!only || other) return null;
    const assistant = await this.assistant(accountId, only.assistant_id, correlationId);
    return assistant && { id: only.assistant_id, maxDurationS: assistant.max_duration };
  }

  /** What stands against calling the lead any more, in words; null where nothing does. */
  async obstacleTo(accountId: number, leadId: number, correlationId: string): Promise<string | null> {
    const context = asService('telephony', accountId, correlationId);
    return (await lookUp(this.#bus, findObstacle, { lead_id: leadId }, context))?.obstacle ?? null;
  }

  /** Credentials of a sender at the chat app's SIP server; null when that is not set up for the sender. */
  async sipAccountOf(accountId: number, senderId: number, correlationId: string) {
    const context = asService('telephony', accountId, correlationId);
    const found = await lookUp(this.#bus, getSipAccountOfSender, { sender_id: senderId }, context);
    return found?.sip_account ?? null;
  }

  /** The sender with this number, of any account; null when there is none, or another account had it at `calledAt`. */
  async senderOf(phoneNumber: string, calledAt: string, correlationId: string) {
    const context = asService('telephony', null, correlationId);
    const found = await lookUp(
      this.#bus,
      getSenderOfNumber,
      { phone_number: phoneNumber, called_at: calledAt },
      context,
    );
    return found?.sender ?? null;
  }
}
