import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Rejection, reject } from '@parley/contracts';
import { Shares } from '@parley/message-bus';
import { openNameless } from '@parley/process-kit';
import { keepPace, type Pace } from '../edge/pace.ts';

/** A file that has arrived completely. Whoever gets it closes it. */
export class SpooledFile {
  /** Of its bytes: two files are the same when their hashes are. */
  readonly sha256: string;
  /** Its first 16 KiB. */
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
  /** At once. */
  readonly maxFiles: number;
  readonly maxFilesPerAccount: number;
  /** Files may take long: whoever is slower than that is cut off. */
  readonly pace: Pace;
  readonly cutOff: (socket: Socket) => void;
}

/**
 * Files on their way in. They wait on disk until they are complete, so that a file that turns out to be too large, or
 * breaks off, has had no effect, and no file takes more memory than a piece of it.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #places: Shares;
  readonly #watched = new WeakSet<Socket>();

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#places = new Shares(options.maxFiles, options.maxFilesPerAccount);
  }

  /** Whether a file is on its way in there, at its own pace. */
  isTakingFrom(socket: Socket): boolean {
    return this.#watched.has(socket);
  }

  /** Rejects when the upload breaks off. The stream is left as it is when the file is not taken. */
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

  /** To the end of the request: what is left of a file that is not taken has to come at that pace, too. */
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
    // All of it, where a single write on a disk that fills up takes what there is room for and says so only by a number.
    await file.appendFile(chunk);
  }
  return isDecodable(decoder) ? hash.digest('hex') : notUtf8;
}

async function beginningOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16 * 1024), position: 0 });
  return buffer.toString('utf8', 0, bytesRead);
}

/** What a full disk, or the end of what this process may use of it or may have open, is told by. */
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
