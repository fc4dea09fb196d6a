import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type Rejection, reject } from '@parley/contracts';

/** Largest body after unpacking: what the gateway accepts of one that is not packed. */
const maxOutputLength = 640 * 1024;

const unpackers = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * The body as it was before its sender packed it. Unpacked outside the event loop, because even a small body may take
 * long. A rejection: `unsupported_media_type` for another encoding or several, `payload_too_large` for more than 640
 * KiB, `malformed` when it is not packed as it says.
 */
export async function unpackBody(bytes: Buffer, contentEncoding = 'identity'): Promise<Buffer | Rejection> {
  const encoding = contentEncoding.toLowerCase();
  if (encoding === 'identity' || encoding === '') return bytes;
  const unpack = unpackers.get(encoding);
  if (!unpack)
    return reject('unsupported_media_type', {
      message: 'The content encoding must be gzip, deflate or br.',
      acceptEncoding: [...unpackers.keys()].join(', '),
    });
  try {
    return await unpack(bytes, { maxOutputLength });
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return reject(isTooLarge ? 'payload_too_large' : 'malformed');
  }
}
