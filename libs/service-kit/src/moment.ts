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
 * has all of its millisecond: that is how most answers show when something happened.
 */
export function momentOf(asOf: string): Moment | Rejection {
  const asPosition = position.safeParse(asOf);
  if (asPosition.success) return { position: asPosition.data };
  const asTime = time.safeParse(asOf);
  if (asTime.success) return { time: wholeMillisecond(asTime.data) };
  return invalidField(
    'as_of',
    'The as of must be a position, or a time with its zone such as 2026-11-21T09:00:00Z.',
  );
}

const inMilliseconds = /(:\d{2})(?:\.(\d{1,3}))?(Z|[+-]\d{2}:\d{2})$/;

const wholeMillisecond = (instant: string): string =>
  instant.replace(
    inMilliseconds,
    (_, seconds: string, digits = '', zone: string) => `${seconds}.${digits.padEnd(3, '0')}999${zone}`,
  );
