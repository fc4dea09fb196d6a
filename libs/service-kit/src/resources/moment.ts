import { invalidField, type Rejection } from '@parley/contracts';
import type { Moment } from '@parley/event-store';
import { z } from 'zod';

const time = z.iso.datetime({ offset: true });
const position = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger);

/**
 * Reads `as_of`: a position as `X-Event-Position` shows it, or an ISO 8601 time with its offset. One without microseconds
 * has all of its millisecond: that is how most answers show when something happened. A time comes back in UTC, as Postgres
 * takes any.
 */
export function momentOf(asOf: string): Moment | Rejection {
  const asPosition = position.safeParse(asOf);
  if (asPosition.success) return { position: asPosition.data };
  const asTime = time.safeParse(asOf);
  if (!asTime.success)
    return invalidField(
      'as_of',
      'The as of field must be a position, or a time with its zone such as 2026-11-21T09:00:00Z.',
    );
  const utc = new Date(asTime.data).toISOString();
  if (!/^(?!0000)\d{4}-/.test(utc))
    return invalidField('as_of', 'The as of field must be within the years 1 to 9999 in UTC.');
  return { time: `${utc.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}.${fractionOf(asTime.data)}Z` };
}

function fractionOf(instant: string): string {
  const [, digits = ''] = /\.(\d+)/.exec(instant) ?? [];
  return digits.length > 3 ? digits : `${digits.padEnd(3, '0')}999`;
}
