import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file for what only this process reads, without a name from the start: whatever ends the process, it goes with it. */
export async function openNameless(purpose: string): Promise<FileHandle> {
  const path = join(tmpdir(), `parley-${purpose}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
