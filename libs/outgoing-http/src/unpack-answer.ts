import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** An answer without a body has none to unpack: nothing is missing at its end. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(lenient)],
  ['x-gzip', () => createGunzip(lenient)],
  ['deflate', () => createInflate(lenient)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/**
 * An answer as it was before the other side packed it, which it may do unasked (RFC 9110, section 12.5.3): its headers are
 * without the encoding that it had. One in another encoding, or in several, stays as it is.
 */
export function unpackAnswer({ headers, body }: Answer): Answer {
  const { 'content-encoding': encoding = '', ...others } = headers;
  const unpacker = unpackers.get(encoding.trim().toLowerCase())?.();
  if (!unpacker) return { headers, body };
  // What goes wrong on the way is thrown to whoever reads the end of it.
  return { headers: others, body: pipeline(body, unpacker, () => undefined) };
}
