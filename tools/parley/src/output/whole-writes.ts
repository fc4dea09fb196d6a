import { fstatSync, writeFileSync } from 'node:fs';

/**
 * Makes a stream to a file write every text completely or fail. Node writes once, and does not notice when a disk
 * that fills up takes only a part.
 */
export function writeWhole(stream: typeof process.stdout): void {
  if (!fstatSync(stream.fd).isFile()) return;
  stream._write = (chunk, _encoding, done) => {
    try {
      writeFileSync(stream.fd, chunk);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
