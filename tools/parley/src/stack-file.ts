import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailed, exitCodes } from './exit-codes.ts';
import { writePrivately } from './up/home.ts';

/** What runs in a home right now: how commands and tests find it. Holds the database password, so mode 0600. */
const stackSchema = z.object({
  supervisor_pid: z.int(),
  base_url: z.string(),
  gateway_urls: z.array(z.string()),
  sandbox_url: z.string(),
  nats_url: z.string(),
  database_url: z.string(),
  /** `name` is unique (`gateway-2`); `service` is what it is a copy of. */
  processes: z.array(z.object({ name: z.string(), service: z.string(), pid: z.int().nullable() })),
});
export type StackDescription = z.output<typeof stackSchema>;

const fileIn = (home: string) => join(home, 'stack.json');

export const writeStack = (home: string, stack: StackDescription): Promise<void> =>
  writePrivately(fileIn(home), stack);

export const removeStack = (home: string): Promise<void> => rm(fileIn(home), { force: true });

/**
 * The description of the running stack; `undefined` when none runs in that home. Throws `CommandFailed` (3) when
 * the file may not be read.
 */
export async function readStack(home: string): Promise<StackDescription | undefined> {
  const file = fileIn(home);
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return '';
    throw new CommandFailed(`${file} cannot be read: ${cause.message}.`, exitCodes.unreachable, { cause });
  });
  try {
    return stackSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
