import { isObservable, lastValueFrom } from 'rxjs';
import type { BusRejection, BusReply } from '../wire/message.ts';
import { isRejection } from '../wire/rejection-text.ts';

/** A handler was called and gave no reply: a defect of the handler. */
class NoReply extends Error {
  override readonly name = 'NoReply';
}

/** What a Nest handler gives is a `BusReply`, or an Observable (interceptors, filters) whose last value is one. */
export async function toReply(result: unknown): Promise<BusReply> {
  const value: unknown = isObservable(result)
    ? await lastValueFrom(result, { defaultValue: undefined })
    : result;
  if (isReply(value)) return value;
  throw new NoReply('The handler did not return a BusReply.');
}

/**
 * What the caller learns about an exception: a rejection that was thrown (`new RpcException(rejection)` in guards,
 * pipes and filters) as it is, everything else as `internal`, without any detail.
 */
export const toRejection = (error: unknown): BusRejection =>
  isRejection(error) ? error : { code: 'internal' };

const isReply = (value: unknown): value is BusReply =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ((value.kind === 'ok' && 'body' in value && typeof value.body === 'string') ||
    (value.kind === 'rejected' && 'rejection' in value && isRejection(value.rejection)));
