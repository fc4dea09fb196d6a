import type { IncomingMessage } from 'node:http';
import { type Rejection, reject } from '@parley/contracts';

/** Takes a body's place where it is not one that can be answered: read before anyone asks whether a body is wanted. */
export class BodyFault {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    this.rejection = rejection;
  }
}

const tooLarge = new BodyFault(reject('payload_too_large'));

/** What follows a body that is not taken is read to its end, so that the caller gets the answer; beyond so many bytes it is cut off. */
const discardLimitBytes = 8 * 1024 * 1024;

/** The bytes of a body; its fault as soon as there are more than `limitBytes`, of which the rest is thrown away. */
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
