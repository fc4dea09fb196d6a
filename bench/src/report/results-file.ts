import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { machineSchema } from './machine.ts';
import { sectionSchema } from './section.ts';

const result = z.object({
  /** ISO 8601. */
  measuredAt: z.string(),
  machine: machineSchema,
  rounds: z.int(),
  secondsPerRun: z.number(),
  section: sectionSchema,
});
const results = z.record(z.string(), result);

export type GroupResult = z.output<typeof result>;
/** By the name of the group. */
export type Results = z.output<typeof results>;

export const docsDir = join(import.meta.dirname, '..', '..', '..', 'docs');
const file = join(docsDir, 'benchmarks.json');

/** What was kept of earlier runs; nothing when there was none. */
export async function readResults(): Promise<Results> {
  try {
    return results.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

export const writeResults = (kept: Results): Promise<void> =>
  writeFile(file, `${JSON.stringify(kept, null, 2)}\n`);

/** What was measured replaces what was kept of the same groups; groups that are not in `order` are gone. */
export function mergeResults(kept: Results, measured: Results, order: readonly string[]): Results {
  const all = { ...kept, ...measured };
  return Object.fromEntries(
    order.flatMap((name) => {
      const found = all[name];
      return found ? [[name, found]] : [];
    }),
  );
}
