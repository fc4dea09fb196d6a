import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@parley/contracts';
import { readRows } from './database.ts';
import { sharedStack } from './shared-stack.ts';

/** The tables of a service, its event log included, in which a text occurs. */
export async function tablesWith(service: string, text: string): Promise<string[]> {
  const tables = await readRows<{ name: string }>(
    service,
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    if (await hasText(service, name, text)) found.push(`${service}: ${name}`);
  }
  return found;
}

async function hasText(service: string, table: string, text: string): Promise<boolean> {
  try {
    // The text is a parameter: Postgres logs the statement when the table is gone by now, and the text would then be
    // found in the log.
    const [row] = await readRows<{ found: boolean }>(
      service,
      `select exists (select from ${table} t where strpos(t::text, $1) > 0) as found`,
      [text],
    );
    return row?.found === true;
  } catch (error) {
    throwUnlessGone(error);
    return false;
  }
}

/**
 * The log files (without those of the sandbox, which is the outside world) and the files of NATS in which a text
 * occurs.
 */
export function filesWith(text: string): string[] {
  const { home } = sharedStack();
  return ['logs', 'nats'].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('sandbox'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => contains(file, text)),
  );
}

function contains(file: string, text: string): boolean {
  try {
    return readFileSync(file).includes(text);
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

export async function placesOf(text: string): Promise<string[]> {
  const tables = await Promise.all(serviceNames.map((service) => tablesWith(service, text)));
  return [...tables.flat(), ...filesWith(text)];
}
