import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from './up/home.ts';

/** `demo.json`: what a person or a test needs to use the demo accounts (decisions, section 7). The only place of their keys. */
const demoSchema = z.object({
  base_url: z.string(),
  sandbox_url: z.string(),
  accounts: z.array(z.object({ id: z.int(), email: z.string(), api_key: z.string() })),
  /** Parts of the demo that are in place: a newer version adds the missing ones. */
  parts: z.array(z.string()),
});
export type Demo = z.output<typeof demoSchema>;

const fileIn = (home: string) => join(home, 'demo.json');

export const writeDemo = (home: string, demo: Demo): Promise<void> => writePrivately(fileIn(home), demo);

/** `undefined` when the demo accounts were not made yet. */
export async function readDemo(home: string): Promise<Demo | undefined> {
  try {
    return demoSchema.parse(JSON.parse(await readFile(fileIn(home), 'utf8')));
  } catch {
    return undefined;
  }
}
