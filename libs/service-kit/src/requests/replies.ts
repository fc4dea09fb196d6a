import { type Rejection, reject } from '@parley/contracts';
import type { ExecuteResult } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';

/** An expected "no" where only an exception gets through (pipes, guards); the kit's filter makes a reply of it. */
export class RejectionError extends Error {
  override readonly name = 'RejectionError';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.code);
    this.rejection = rejection;
  }
}

/** A query's answer from JSON text, as it is. */
export const textReply = (body: string): BusReply => ({ kind: 'ok', body });

/** A query's answer. */
export const jsonReply = (value: unknown): BusReply => textReply(JSON.stringify(value));

/** An expected "no". */
export const rejectedReply = (rejection: Rejection): BusReply => ({ kind: 'rejected', rejection });

/** What `Aggregates.execute` came to, as the command's answer; position and version become headers at the gateway. */
export function toReply(result: ExecuteResult): BusReply {
  if (result.kind === 'rejected') return result;
  const { body, position, version, replayed } = result;
  return { kind: 'ok', body, position, version, replayed };
}

/** The answer where nothing was found, or it belongs to someone else: the two are the same bytes. */
export const notFoundReply = (): BusReply => rejectedReply(reject('not_found'));
