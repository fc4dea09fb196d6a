import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';

/** A log file that is moved aside to `<file>.1` when it is full, so that a process keeps twice `maxBytes` at most. */
export interface CappedFile {
  write(line: string): void;
  close(): Promise<void>;
}

export function openCappedFile(path: string, maxBytes = 10 * 1024 * 1024): CappedFile {
  let size = sizeOf(path);
  let stream: WriteStream | undefined;

  function open(): WriteStream {
    const opened = createWriteStream(path, { flags: 'a', mode: 0o600 });
    // A full disk must not end the supervisor: what cannot be logged is lost.
    opened.on('error', () => undefined);
    return opened;
  }

  return {
    write(line) {
      if (size >= maxBytes) {
        stream?.end();
        stream = undefined;
        renameSync(path, `${path}.1`);
        size = 0;
      }
      stream ??= open();
      stream.write(`${line}\n`);
      size += Buffer.byteLength(line) + 1;
    },
    close: () => new Promise((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
