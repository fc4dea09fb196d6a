import { Readable } from 'node:stream';
import { Shares } from '@parley/message-bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keepPace, type Pace } from './pace.ts';

/** What is shorter fits into the buffers that a connection has anyway. */
const largeFromBytes = 64 * 1024;

const isLarge = (body: string | Buffer): boolean => body.length >= largeFromBytes;

/**
 * Answers wait in memory until their clients have taken them. All large ones together have a limit, of which no account
 * has more than half; they leave piece by piece, and who takes too little of one is cut off.
 */
export class LargeAnswers {
  readonly #pace: Pace;
  readonly #shares: Shares;

  constructor(maxBytes: number, pace: Pace) {
    this.#pace = pace;
    this.#shares = new Shares(maxBytes);
  }

  /** Room until the client has the answer or is gone; false when there is none for the account. */
  hold(body: string | Buffer, accountId: number, reply: FastifyReply): boolean {
    if (!isLarge(body) || reply.raw.destroyed) return true;
    const giveBack = this.#shares.take(accountId, body.length);
    if (giveBack) reply.raw.once('close', giveBack);
    return giveBack !== undefined;
  }

  /** What is to be sent for a body. */
  paced(body: string | Buffer, request: FastifyRequest, reply: FastifyReply): string | Buffer | Readable {
    if (!isLarge(body)) return body;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const { socket } = request.raw;
    keepPace(reply.raw, () => socket.bytesWritten, this.#pace, { cut: () => socket.destroy() });
    reply.header('content-length', bytes.length);
    return Readable.from(piecesOf(bytes));
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += largeFromBytes)
    yield bytes.subarray(start, start + largeFromBytes);
}
