import { getPhoneNumber } from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { lookUp, onBehalfOf } from '@parley/service-kit';
import type { PhoneNumber } from '../facts.ts';

/** The account's phone numbers, which telephony keeps. */
export interface PhoneNumbers {
  /** `null` when the account has no such number. Rejects when telephony cannot be asked. */
  find(message: MessageContext, id: number): Promise<PhoneNumber | null>;
}

export const createPhoneNumbers = (bus: BusClient): PhoneNumbers => ({
  find: (message, id) => lookUp(bus, getPhoneNumber, { phone_number_id: id }, onBehalfOf(message)),
});
