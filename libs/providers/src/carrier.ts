import type { NumberKind } from './by-number-kind.ts';
import type { ProviderResult } from './provider-result.ts';

/** What numbers for sale to look for; `limit` is the most that are returned. */
export interface NumberSearch extends NumberKind {
  /** Whose search it is: one account's leave room for those of others. */
  readonly accountId: number;
  /** Digits that occur in the number; empty for any. */
  readonly contains: string;
  readonly limit: number;
}

/** A number to buy. */
interface NumberToBuy extends NumberKind {
  /** E.164 */
  readonly phoneNumber: string;
}

/** A number for sale. */
export interface OfferedNumber extends NumberToBuy {
  readonly smsCapable: boolean;
  /** False for numbers that are sold for SMS alone: nobody can call them. */
  readonly voiceCapable: boolean;
  /** Which address of the owner the carrier wants: `none`, `any`, `local` or `foreign`. */
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
  /**
   * URL to which the carrier posts the status of the SMS. It holds our reference, by which a send whose outcome is
   * unknown is recognised.
   */
  readonly statusUrl: string;
  /** Seconds, at least 1, after which the carrier must not send it any more; `null` leaves that to the carrier. */
  readonly validForSeconds: number | null;
}

/**
 * Port of the carrier that sells phone numbers and sends SMS from them. No failure is an exception; every call ends
 * within the adapter's timeout.
 */
export interface Carrier {
  /**
   * Numbers that can be bought here: those for which the law wants the owner's address are left out where we have none.
   * Empty for a country that the carrier does not know.
   */
  search(wanted: NumberSearch): Promise<ProviderResult<readonly OfferedNumber[]>>;
  /**
   * Buys the number. Carriers have no idempotency keys, so the number is labelled with `reference`: after an unknown
   * outcome `findByReference` tells whether it was bought. A rejection has the code `not_available` when somebody else
   * has the number, or it is not sold to just anybody.
   */
  provision(number: NumberToBuy, reference: string): Promise<ProviderResult<CarrierNumber>>;
  /** The number that was bought with this reference; `null` when there is none. */
  findByReference(reference: string): Promise<ProviderResult<CarrierNumber | null>>;
  /** Gives a number back; `ok` as well when it is gone already. */
  release(sid: string): Promise<ProviderResult<null>>;
  /** Sends once; `unknown` when it may have been sent. `sid` is the carrier's id. */
  sendSms(sms: OutgoingSms): Promise<ProviderResult<{ readonly sid: string }>>;
}
