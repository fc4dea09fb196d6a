import { chmod, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * An empty folder for what servers of a test keep, which every user may enter; whoever makes it removes it. It is in
 * memory where `npm test` found room for that (tools/bootstrap/data-in-memory.mjs).
 */
export async function makeDataFolder(name: string): Promise<string> {
  const root = process.env.PARLEY_TEST_DATA ?? tmpdir();
  const folder = await realpath(await mkdtemp(join(root, `parley-${name}-`)));
  await chmod(folder, 0o755);
  return folder;
}
