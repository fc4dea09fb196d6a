import { cpus, totalmem } from 'node:os';
import { z } from 'zod';

export const machineSchema = z.object({
  cpu: z.string(),
  cores: z.int(),
  memoryGib: z.int(),
  node: z.string(),
});

export type Machine = z.output<typeof machineSchema>;

/** What this runs on. */
export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'unknown',
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
});
