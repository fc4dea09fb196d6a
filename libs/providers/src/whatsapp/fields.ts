import { dropUnstorable, hiddenCustomer } from '@parley/contracts';
import { z } from 'zod';
import { toE164 } from './number.ts';

/** A list whose elements are parsed one by one, so that an unreadable one does not cost the others. */
export const list = z.array(z.unknown()).catch([]);

/** The elements that match the schema; the others are left out. */
export const valid = <T>(schema: z.ZodType<T>, elements: readonly unknown[]): T[] =>
  elements.flatMap((element) => schema.safeParse(element).data ?? []);

export const epochSeconds = z.coerce
  .number()
  .int()
  .nonnegative()
  .max(8_640_000_000_000 / 1_000);

/** An id of the platform, without characters that Postgres cannot store. */
export const id = (maxLength: number) =>
  z.string().transform(dropUnstorable).pipe(z.string().min(1).max(maxLength));

export const digits = z.string().regex(/^\d{5,20}$/);
/** A number without its plus; missing for customers who hide it. */
export const number = digits.optional().catch(undefined);
/** The platform's id of a customer, which is another one for each business. */
export const userId = z
  .string()
  .regex(new RegExp(`^${hiddenCustomer.source}$`))
  .optional()
  .catch(undefined);

/** The contact: their number in E.164 where it is told, else the platform's id of them. */
export const contactOf = (number: string | undefined, userId: string | undefined): string | undefined =>
  number === undefined ? userId : toE164(number);

/** The fields that each event about a message has. */
export const ofMessage = (
  phoneNumberId: string,
  contact: string,
  { id, timestamp }: { readonly id: string; readonly timestamp: number },
) => ({ id, phone_number_id: phoneNumberId, contact, at: isoTime(timestamp), message_id: id });

export const isoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();
