import { fstatSync, writeFileSync } from 'node:fs';

/** To a file Node writes a text once, and takes no notice where a disk that fills up takes only a part of it. */
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
