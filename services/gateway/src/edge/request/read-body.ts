import type { IncomingMessage } from 'node:http';
import { type Rejection, reject } from '@parley/contracts';

/**
 * Stands in for a body that is refused, with the rejection to answer: bodies are read before it is known whether
 * the operation wants one.
 */
export class BodyFault {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    this.rejection = rejection;
  }
}

const tooLarge = new BodyFault(reject('payload_too_large'));

/**
 * How much of a refused body is still read and thrown away, so that the caller receives the answer; beyond that the
 * connection is cut.
 */
const discardLimitBytes = 8 * 1024 * 1024;

/**
 * Reads a body. `done` gets its bytes, or a `BodyFault` as soon as there are more than `limitBytes`; the rest is
 * then thrown away.
 */
export function readBody(
  payload: IncomingMessage,
  limitBytes: number,
  done: (error: Error | null, body?: Buffer | BodyFault) => void,
): void {
  const chunks: Buffer[] = [];
  let received = 0;
  const take = (chunk: Buffer) => {
    received += chunk.length;
    if (received <= limitBytes) {
      chunks.push(chunk);
      return;
    }
    chunks.length = 0;
    payload.off('data', take).off('end', end).off('error', done);
    discardBody(payload);
    done(null, tooLarge);
  };
  const end = () => done(null, Buffer.concat(chunks, received));
  payload.on('data', take).on('end', end).on('error', done);
}

/** Throws away what is left of a body. */
export function discardBody(payload: IncomingMessage): void {
  let discarded = 0;
  payload
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > discardLimitBytes) payload.destroy();
    });
}
