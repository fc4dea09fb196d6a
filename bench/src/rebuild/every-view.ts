import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPostgresEventStore } from '@parley/event-store';
import pg from 'pg';
import { z } from 'zod';
import { withOwnPostgres } from '../own-postgres.ts';
import { histories } from './histories.ts';
import { fillWith, type History } from './history.ts';
import { definitionOf } from './services.ts';

/** One view made anew from a log of its own, by a process that does nothing else. */
export interface ViewRebuild {
  readonly service: string;
  readonly view: string;
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly peakRssMib: number;
  readonly rows: number;
}

/**
 * Rebuilds every view of every service from `events` events each, and from `manyEvents` as well, on a Postgres of their
 * own. Rows that differ from those before, or from those of yet another rebuild, fail the run. Both logs of a view are
 * rebuilt until as many events were read: what memory then differs by is owed to the log's size. It takes half an hour
 * for 1,000,000 events, so each result is told on the error output as well.
 */
export async function rebuildEveryView(events: number, manyEvents: number | null): Promise<ViewRebuild[]> {
  await checkNoneIsMissing();
  return withOwnPostgres(async (url) => {
    const results: ViewRebuild[] = [];
    for (const history of histories) {
      const few = await measure(url, history, events, timesToRead(manyEvents ?? events, events));
      const many = manyEvents === null ? [] : [await measure(url, history, manyEvents, 1)];
      for (const result of [few, ...many]) process.stderr.write(`${JSON.stringify(result)}\n`);
      results.push(few, ...many);
    }
    return results;
  });
}

async function checkNoneIsMissing(): Promise<void> {
  for (const service of new Set(histories.map((history) => history.service)))
    for (const { name } of (await definitionOf(service)).projections)
      if (!histories.some((each) => each.service === service && each.view === name))
        throw new Error(`The view ${name} of ${service} has no history to be rebuilt from.`);
}

const measured = z.object({ seconds: z.number(), peakRssMib: z.number(), rows: z.int() });

/** How often a log of `each` events is rebuilt until `events` were read. */
export const timesToRead = (events: number, each: number): number => Math.max(1, Math.round(events / each));

async function measure(
  serverUrl: string,
  history: History,
  wanted: number,
  times: number,
): Promise<ViewRebuild> {
  const { service, view } = history;
  const database = `bench_${view}`;
  await onDatabase(serverUrl, (client) => client.query(`create database ${database}`));
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  try {
    // Its schema is the store's.
    await (await createPostgresEventStore({ connectionString: url.href })).close();
    const events = await onDatabase(url.href, (client) => fillWith(client, history, wanted));
    const about = ['--database', url.href, '--service', service, '--view', view];
    await runProcess([...about, '--prepare']);
    const before = await onDatabase(url.href, (client) => rowsOf(client, view));
    const { seconds, peakRssMib, rows } = measured.parse(
      JSON.parse(await runProcess([...about, '--times', String(times)])),
    );
    const after = await onDatabase(url.href, (client) => rowsOf(client, view));
    if (after !== before) throw new Error(`${view}: before the rebuild ${before}, after it ${after}.`);
    return { service, view, events, eventsPerSecond: events / seconds, peakRssMib, rows };
  } finally {
    await onDatabase(serverUrl, (client) => client.query(`drop database ${database} with (force)`));
  }
}

async function runProcess(args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL('./projection-process.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
  return stdout;
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Every row of every live table of the view, as their count and one number. */
async function rowsOf(client: pg.Client, view: string): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from es.projections p join pg_namespace n on n.nspname = p.schema_name
     join pg_class c on c.relnamespace = n.oid and c.relkind = 'r' where p.name = $1 order by 1`,
    [view],
  );
  const counted: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ rows: string; sum: string | null }>(
      `select count(*) as rows, sum(hashtextextended(t::text, 0)) as sum from ${name} t`,
    );
    counted.push(`${name}: ${rows[0]?.rows} rows ${rows[0]?.sum}`);
  }
  return counted.join(', ');
}
