import { wholePerson } from '@parley/contracts';

/** Mobile numbers that the platform knows under a longer or shorter spelling than people dial today. */
const spellings: readonly (readonly [dialed: RegExp, waId: string])[] = [
  // Brazil outside São Paulo, Rio de Janeiro and Espírito Santo: without the ninth digit.
  [/^55([3-9]\d)9([6-9]\d{7})$/, '55$1$2'],
  // Mexico: with the 1 that was dialed before mobiles until 2019.
  [/^52([2-9]\d{9})$/, '521$1'],
  // Argentina: with the 9 of a mobile, given or not.
  [/^54([1-3]\d{9})$/, '549$1'],
];

/** Whether this is the id of a customer who hides their number, and no number. */
export const isHidden = (customer: string): boolean => /^[A-Z]/.test(customer) && wholePerson.test(customer);

/**
 * The platform's id of a customer (`wa_id`): the digits of the number in the platform's spelling, or the id of a
 * customer who hides their number.
 */
export function contactWaId(phoneNumber: string): string {
  if (isHidden(phoneNumber)) return phoneNumber;
  const digits = phoneNumber.replace(/\D/g, '');
  const [dialed, waId] = spellings.find(([spelling]) => spelling.test(digits)) ?? [];
  return dialed && waId ? digits.replace(dialed, waId) : digits;
}
