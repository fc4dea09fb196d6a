import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Rejection, reject } from '@parley/contracts';
import { Shares } from '@parley/message-bus';
import { openNameless } from '@parley/process-kit';
import { keepPace, type Pace } from '../edge/load/pace.ts';

/** A file that was received completely, on disk. Its receiver must close it. */
export class SpooledFile {
  /** Hash of its bytes, as hex: stands for the content in the fingerprint of the request. */
  readonly sha256: string;
  /** The first 16 KiB as text. */
  readonly beginning: () => Promise<string>;
  readonly read: () => Readable;
  readonly close: () => Promise<void>;

  constructor(
    sha256: string,
    beginning: () => Promise<string>,
    read: () => Readable,
    close: () => Promise<void>,
  ) {
    this.sha256 = sha256;
    this.beginning = beginning;
    this.read = read;
    this.close = close;
  }
}

const tooLarge = reject('payload_too_large');
const notUtf8 = reject('invalid', { fields: { body: ['The file must be text in UTF-8.'] } });
/** Too many at once, or no room on the disk or among the open files. */
const notNow = reject('unavailable', { retryAfterSeconds: 5 });

interface SpoolOptions {
  /** How many files may be on disk or arriving at the same time. */
  readonly maxFiles: number;
  readonly maxFilesPerAccount: number;
  /** An upload may take long, but a slower client is cut off. */
  readonly pace: Pace;
  readonly cutOff: (socket: Socket) => void;
}

/**
 * Receives uploaded files. They are kept on disk until they are complete, so that a file that turns out to be too
 * large or breaks off has no effect, and only a piece of it is in memory.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #places: Shares;
  readonly #watched = new WeakSet<Socket>();

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#places = new Shares(options.maxFiles, options.maxFilesPerAccount);
  }

  /** Whether a file is arriving on this connection; its speed is checked here, so other timeouts must not end it. */
  isTakingFrom(socket: Socket): boolean {
    return this.#watched.has(socket);
  }

  /**
   * Receives one file; resolves with a rejection when it is too large, not UTF-8, or there is no room, and leaves
   * the rest of the stream unread. Rejects when the upload breaks off.
   */
  async take(upload: IncomingMessage, maxBytes: number, accountId: number): Promise<SpooledFile | Rejection> {
    if (Number(upload.headers['content-length'] ?? 0) > maxBytes) return tooLarge;
    const giveBack = this.#places.take(accountId);
    if (!giveBack) return notNow;
    this.#watch(upload);
    const file = await openNameless('upload').catch((error: unknown) => {
      giveBack();
      if (!hasNoRoom(error)) throw error;
    });
    if (!file) return notNow;
    const close = () => {
      giveBack();
      return file.close();
    };
    const result = await copy(upload, file, maxBytes).catch(async (error: unknown) => {
      if (hasNoRoom(error)) return notNow;
      await close();
      throw error;
    });
    if (typeof result === 'string') {
      const read = () => file.createReadStream({ start: 0, autoClose: false });
      return new SpooledFile(result, () => beginningOf(file), read, close);
    }
    await close();
    return result;
  }

  /** Watches the speed to the end of the request: the rest of a refused file must keep the pace, too. */
  #watch(upload: IncomingMessage): void {
    const { pace, cutOff } = this.#options;
    const { socket } = upload;
    this.#watched.add(socket);
    keepPace(upload, () => socket.bytesRead, pace, {
      cut: () => cutOff(socket),
      onEnd: () => this.#watched.delete(socket),
    });
  }
}

/** The hash of what was copied. Rejects when the upload breaks off, and when there is no room for it. */
async function copy(
  upload: IncomingMessage,
  file: FileHandle,
  maxBytes: number,
): Promise<string | Rejection> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let received = 0;
  const chunks: AsyncIterable<Buffer> = upload.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > maxBytes) return tooLarge;
    if (!isDecodable(decoder, chunk)) return notUtf8;
    hash.update(chunk);
    // `appendFile` writes all of it or rejects; a single `write` on a disk that fills up writes a part and tells only
    // by its count.
    await file.appendFile(chunk);
  }
  return isDecodable(decoder) ? hash.digest('hex') : notUtf8;
}

async function beginningOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16 * 1024), position: 0 });
  return buffer.toString('utf8', 0, bytesRead);
}

/** Whether the error says that the disk is full, or that this process may not use more of it or open more files. */
const hasNoRoom = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(ENOSPC|EDQUOT|EFBIG|EMFILE|ENFILE)$/.test(String(error.code));

function isDecodable(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}
