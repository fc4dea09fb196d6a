import { createHash } from 'node:crypto';
import { startStack } from '@parley/testing';
import pg from 'pg';
import { httpRequest, type LoadResult, runLoad } from '../http/load.ts';
import { seedAccounts, seedAssistants } from '../http/parley.ts';
import { createDatabase, startPeerProcess } from '../http/peer.ts';
import { assistantsSchema } from '../peers/assistants-schema.ts';
import { interleave, median } from '../statistics.ts';

export interface AssistantsBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: readonly number[];
}

/** One line of the table: medians over the rounds, and the ratio of the p99 to the reference's in the same rounds. */
export interface AssistantsBenchRow {
  readonly connections: number;
  readonly variant: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p99Ratio: number;
}

const assistants = 10_000;
const perPage = 100;

/** Any page of 100 of an account with 10,000 assistants, beside the same page by a direct SQL query behind Fastify. */
export async function runAssistantsBench(options: AssistantsBenchOptions): Promise<AssistantsBenchRow[]> {
  const stack = await startStack();
  const stops: (() => Promise<void>)[] = [() => stack.stop()];
  try {
    const [account] = await seedAccounts(stack.natsUrl, 1, 0);
    if (!account) throw new Error('There is no account.');
    await seedAssistants(stack.natsUrl, account.id, assistants);
    const databaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_assistants');
    await copyToPeer(stack.databaseUrl, databaseUrl, account);
    const peer = await startPeerProcess('direct-assistants', databaseUrl);
    stops.unshift(peer.stop);
    const ports = new Map([
      ['parley', Number(new URL(stack.baseUrl).port)],
      ['direct', peer.port],
    ]);
    for (const port of ports.values()) await readPages(port, account.key, 8, 1_500);
    const rows: AssistantsBenchRow[] = [];
    for (const connections of options.connections)
      rows.push(...(await compare(ports, account.key, connections, options)));
    return rows;
  } finally {
    for (const stop of stops) await stop();
  }
}

async function compare(
  ports: ReadonlyMap<string, number>,
  key: string,
  connections: number,
  { rounds, durationMs }: AssistantsBenchOptions,
): Promise<AssistantsBenchRow[]> {
  const results = await interleave([...ports.keys()], rounds, (name) =>
    readPages(ports.get(name) ?? 0, key, connections, durationMs),
  );
  const reference = results.get('direct') ?? [];
  return [...results].map(([variant, runs]) => ({
    connections,
    variant,
    requestsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    p99Ratio: median(runs.map((run, round) => run.p99Ms / (reference[round]?.p99Ms ?? Number.NaN))),
  }));
}

async function readPages(
  port: number,
  key: string,
  connections: number,
  durationMs: number,
): Promise<LoadResult> {
  const pages = assistants / perPage;
  const result = await runLoad({
    port,
    connections,
    durationMs,
    // A prime step: neighbours in time are no neighbours in the table.
    request: (n) =>
      httpRequest('GET', `/api/user/assistants/get?per_page=${perPage}&page=${((n * 37) % pages) + 1}`, key),
  });
  if (result.statuses.size !== 1 || !result.statuses.has(200))
    throw new Error(`Answers: ${JSON.stringify([...result.statuses])}`);
  return result;
}

/** The same rows, so that both answer with the same content. */
async function copyToPeer(
  serverUrl: string,
  peerUrl: string,
  account: { readonly id: number; readonly key: string },
): Promise<void> {
  const source = new pg.Client({ connectionString: new URL('/parley_assistants', serverUrl).href });
  const target = new pg.Client({ connectionString: peerUrl });
  await Promise.all([source.connect(), target.connect()]);
  const { rows } = await source.query<{ body: string }>({
    text: 'select body from view_assistants_v1.assistants where account_id = $1 order by id',
    values: [account.id],
  });
  await target.query(assistantsSchema);
  await target.query('insert into api_keys (token_sha256, account_id) values ($1, $2)', [
    createHash('sha256').update(account.key).digest('hex'),
    account.id,
  ]);
  for (let from = 0; from < rows.length; from += 1_000) {
    const part = rows.slice(from, from + 1_000).map(({ body }) => body);
    await target.query(
      'insert into assistants select * from jsonb_populate_recordset(null::assistants, $1)',
      [`[${part.join()}]`],
    );
  }
  await target.query('vacuum analyze');
  await source.query('vacuum analyze');
  await Promise.all([source.end(), target.end()]);
}
