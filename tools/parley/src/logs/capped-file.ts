import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** A log file that is moved aside to `<file>.1` when it is full, so that a process keeps twice `maxBytes` at most. */
export interface CappedFile {
  write(line: string): void;
  close(): void;
}

/** Writes synchronously (there are few lines), so that a line is there when its process is gone. */
export function openCappedFile(path: string, maxBytes = 10 * 1024 * 1024): CappedFile {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let isOpen = true;

  function moveAside(): void {
    // Somebody else may have moved it.
    if (existsSync(path)) renameSync(path, `${path}.1`);
    // Closed once there is another one: by then its number may be somebody else's.
    const full = file;
    file = openSync(path, 'a', 0o600);
    closeSync(full);
    size = 0;
  }

  return {
    write(line) {
      if (!isOpen) return;
      try {
        if (size >= maxBytes) moveAside();
        size += writeSync(file, `${line}\n`);
      } catch {
        // A full disk must not end the supervisor: what cannot be logged is lost.
      }
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
