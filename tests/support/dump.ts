import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@parley/contracts';
import { type Read, reading } from './database.ts';
import { sharedStack } from './shared-stack.ts';

/** The tables of a service, its event log included, in which one of the texts occurs. */
export const tablesWith = (service: string, ...texts: string[]): Promise<string[]> =>
  reading(sharedStack().databaseUrl, service, async (read) => {
    const tables = await read<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      if (await hasText(read, name, texts)) found.push(`${service}: ${name}`);
    }
    return found;
  });

async function hasText(read: Read, table: string, texts: readonly string[]): Promise<boolean> {
  const isIn = texts.map((_, index) => `strpos(line, $${index + 1}) > 0`).join(' or ');
  try {
    // The texts are parameters: Postgres logs the statement when the table is gone by now, and they would then be found
    // in the log. Without the offset each of them would have its own text of the row.
    const [row] = await read<{ found: boolean }>(
      `select exists (select from (select t::text as line from ${table} t offset 0) where ${isIn}) as found`,
      texts,
    );
    return row?.found === true;
  } catch (error) {
    throwUnlessGone(error);
    return false;
  }
}

/**
 * The log files (without those of the sandbox, which is the outside world) and the files of NATS in which one of
 * the texts occurs.
 */
export function filesWith(...texts: string[]): string[] {
  const { home } = sharedStack();
  return ['logs', 'nats'].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('sandbox'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => contains(file, texts)),
  );
}

function contains(file: string, texts: readonly string[]): boolean {
  try {
    const content = readFileSync(file);
    return texts.some((text) => content.includes(text));
  } catch (error) {
    throwUnlessGone(error);
    return false;
  }
}

const gone: readonly unknown[] = ['42P01', 'ENOENT'];

/**
 * Throws errors on but those of tables (of a view that another test verifies) and files of NATS that are gone since
 * they were listed.
 */
function throwUnlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && gone.includes(error.code))) throw error;
}

/** Every table and file in which one of the texts occurs: each is read once, however many texts there are. */
export async function placesOf(...texts: string[]): Promise<string[]> {
  const tables = await Promise.all(serviceNames.map((service) => tablesWith(service, ...texts)));
  return [...tables.flat(), ...filesWith(...texts)];
}
