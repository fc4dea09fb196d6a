import type { ProviderResult } from './provider-result.ts';

export type NumberType = 'local' | 'mobile' | 'toll_free';

export interface NumberSearch {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly type: NumberType;
  /** Digits that occur in the number; empty for any. */
  readonly contains: string;
  readonly limit: number;
}

/** A number for sale. */
export interface OfferedNumber {
  /** E.164 */
  readonly phoneNumber: string;
  readonly country: string;
  readonly type: NumberType;
  readonly smsCapable: boolean;
  /** Some are for SMS alone: nobody can call them. */
  readonly voiceCapable: boolean;
  /** Whether the carrier wants an address of the owner: none, any, local or foreign. */
  readonly addressRequirements: string;
}

/** A number that was bought; `sid` is the carrier's id. */
export interface CarrierNumber {
  readonly sid: string;
  readonly phoneNumber: string;
}

/** A text to a phone, from a number that was bought here; all numbers in E.164. */
interface OutgoingSms {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** The URL to which the carrier reports its status. It holds our reference, so that an uncertain send is recognised. */
  readonly statusUrl: string;
  /** What the carrier has not sent by then it is not to send: from 1 on; `null` for as long as it keeps what waits. */
  readonly validForSeconds: number | null;
}

/** Who sells phone numbers, and sends from them. No failure is an exception; every call ends within the adapter's timeout. */
export interface Carrier {
  /**
   * What is sold to anybody: numbers for which the law wants the owner's address are left out. Nothing is for sale in a
   * country that the carrier does not know.
   */
  search(wanted: NumberSearch): Promise<ProviderResult<readonly OfferedNumber[]>>;
  /**
   * Buys. Carriers know no idempotency keys: the number carries `reference`, by which it is found when the outcome is
   * unknown. `not_available` is the code of a rejection because somebody else has it, or it is not sold to just anybody.
   */
  provision(phoneNumber: string, reference: string): Promise<ProviderResult<CarrierNumber>>;
  findByReference(reference: string): Promise<ProviderResult<CarrierNumber | null>>;
  /** Gives a number back; one that is gone already is fine. */
  release(sid: string): Promise<ProviderResult<null>>;
  /** Sends once; `unknown` when it may have been sent. `sid` is the carrier's id. */
  sendSms(sms: OutgoingSms): Promise<ProviderResult<{ readonly sid: string }>>;
}
