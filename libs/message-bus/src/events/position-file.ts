import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Positions } from './durable-subscriber.ts';

const content = z.record(z.string(), z.int().nonnegative());

/** Remembers positions in a JSON file, which is there whole or as it was before: one process uses it at a time. */
export function positionsInFile(path: string): Positions {
  let known: Promise<Record<string, number>> | undefined;
  const read = async () => {
    try {
      return content.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      throw error;
    }
  };
  let writing = Promise.resolve();
  return {
    async load(service) {
      known ??= read();
      return (await known)[service] ?? 0;
    },
    async save(service, position) {
      known ??= read();
      const positions = await known;
      positions[service] = position;
      // One after the other: two services report at the same time.
      writing = writing
        .catch(() => undefined)
        .then(async () => {
          await writeFile(`${path}.new`, JSON.stringify(positions), { flush: true });
          await rename(`${path}.new`, path);
        });
      await writing;
    },
  };
}
