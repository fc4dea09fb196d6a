import { Readable } from 'node:stream';
import { Shares } from '@parley/message-bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keepPace, type Pace } from './pace.ts';

/** Answers below this size fit into the buffers that a connection has anyway. */
const largeFromBytes = 64 * 1024;

const isLarge = (body: string | Buffer): boolean => body.length >= largeFromBytes;

/**
 * Limits the memory of answers that clients have not read yet. All large answers together have a limit, of which
 * one account gets at most half. They are sent piece by piece, and a client that reads too slowly is cut off.
 */
export class LargeAnswers {
  readonly #pace: Pace;
  readonly #shares: Shares;

  constructor(maxBytes: number, pace: Pace) {
    this.#pace = pace;
    this.#shares = new Shares(maxBytes);
  }

  /**
   * Takes room for a large body until its answer is sent or the connection is gone; false when there is none for
   * the account.
   */
  hold(body: string | Buffer, accountId: number, reply: FastifyReply): boolean {
    if (!isLarge(body) || reply.raw.destroyed) return true;
    const giveBack = this.#shares.take(accountId, body.length);
    if (giveBack) reply.raw.once('close', giveBack);
    return giveBack !== undefined;
  }

  /** The body as it is sent: a large one as a stream of pieces, at the pace that the client must keep. */
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
