import { getPhoneNumber, subjectOf } from '@parley/contracts';
import { type BusClient, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import type { PhoneNumber } from './facts.ts';

/** The account's phone numbers, which telephony keeps. */
export interface PhoneNumbers {
  /** `null` when the account has no such number. Rejects when telephony cannot be asked. */
  find(message: MessageContext, id: number): Promise<PhoneNumber | null>;
}

export const createPhoneNumbers = (bus: BusClient): PhoneNumbers => ({
  async find(message, id) {
    const reply = await bus.request({
      service: getPhoneNumber.service,
      subject: subjectOf(getPhoneNumber),
      payload: JSON.stringify({ phone_number_id: id }),
      context: { ...message, commandId: null, fingerprint: null, expectedVersion: null },
    });
    if (reply.kind === 'ok') return getPhoneNumber.output.parse(JSON.parse(reply.body));
    if (reply.rejection.code === 'not_found') return null;
    throw new ServiceUnavailable(`Telephony answered ${reply.rejection.code}.`);
  },
});
