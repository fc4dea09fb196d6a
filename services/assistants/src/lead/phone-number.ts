import { parsePhoneNumberFromString } from 'libphonenumber-js';

const message = 'The phone number must be a valid E.164 number.';

/** What is wrong with a phone number; undefined when it is one in E.164, written as E.164 writes it. */
export const phoneNumberFault = (text: string): string | undefined => {
  if (!/^\+[1-9]\d{6,14}$/.test(text)) return message;
  const parsed = parsePhoneNumberFromString(text);
  return parsed?.isValid() && parsed.number === text ? undefined : message;
};
