import { randomBytes } from 'node:crypto';
import { startStack } from '@parley/testing';
import { count } from '../count.ts';
import { interleave, median } from '../statistics.ts';
import { httpRequest, type LoadResult, runLoad } from './load.ts';
import { seedAccounts } from './parley.ts';
import { startPeer } from './peer.ts';

export interface HttpBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: readonly number[];
}

/** One line of the table: medians over the rounds, and the ratio to the hand-written reference in the same rounds. */
export interface HttpBenchRow {
  readonly operation: string;
  readonly connections: number;
  readonly variant: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly ratioToDirect: number;
}

interface Variant {
  readonly port: number;
  readonly readKeys: readonly string[];
  readonly writeKeys: readonly string[];
  countFolders(): Promise<number>;
}

const accounts = 1_000;
const foldersEach = 15;

/** The folder command and the folder list beside the same two operations written by hand, in interleaved rounds. */
export async function runHttpBench(options: HttpBenchOptions): Promise<HttpBenchRow[]> {
  const stack = await startStack();
  const peers = await Promise.all([
    startPeer('direct', stack.databaseUrl, 2 * accounts, foldersEach),
    startPeer('nest-mikro-orm', stack.databaseUrl, 2 * accounts, foldersEach),
  ]);
  try {
    const seeded = await seedAccounts(stack.natsUrl, 2 * accounts, foldersEach);
    const [direct, nest] = peers.map(
      ({ port, keys, databaseUrl }): Variant => ({
        port,
        readKeys: keys.slice(0, accounts),
        writeKeys: keys.slice(accounts),
        countFolders: () => count(databaseUrl, 'select count(*) from folders'),
      }),
    );
    const assistantsUrl = new URL('/parley_assistants', stack.databaseUrl);
    const keys = seeded.map(({ key }) => key);
    const parley: Variant = {
      port: Number(new URL(stack.baseUrl).port),
      readKeys: keys.slice(0, accounts),
      writeKeys: keys.slice(accounts),
      countFolders: () =>
        count(assistantsUrl.href, "select count(*) from es.events where type = 'FolderCreated'"),
    };
    if (!direct || !nest) throw new Error('A peer is missing.');
    const variants = new Map<string, Variant>([
      ['parley', parley],
      ['direct', direct],
      ['nest-mikro-orm', nest],
    ]);
    const rows: HttpBenchRow[] = [];
    for (const variant of variants.values()) await warmUp(variant);
    for (const connections of options.connections) {
      rows.push(...(await compare('POST /api/user/folder', variants, connections, options, createFolders)));
      rows.push(...(await compare('GET /api/user/folders', variants, connections, options, listFolders)));
    }
    return rows;
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await stack.stop();
  }
}

type Measure = (variant: Variant, connections: number, durationMs: number) => Promise<LoadResult>;

async function warmUp(variant: Variant): Promise<void> {
  await createFolders(variant, 16, 1_500);
  await listFolders(variant, 16, 1_500);
}

/** Counts rows, not statuses: an answer without its row, or a row without its answer, fails the run. */
const createFolders: Measure = async (variant, connections, durationMs) => {
  const run = randomBytes(6).toString('hex');
  const before = await variant.countFolders();
  const result = await runLoad({
    port: variant.port,
    connections,
    durationMs,
    request: (n) =>
      httpRequest('POST', '/api/user/folder', keyOf(variant.writeKeys, n), `{"name":"Folder ${run} ${n}"}`),
  });
  const created = (await variant.countFolders()) - before;
  const acknowledged = result.statuses.get(201) ?? 0;
  if (created !== acknowledged || result.statuses.size !== 1) {
    throw new Error(`${created} rows for ${JSON.stringify([...result.statuses])}`);
  }
  return result;
};

const listFolders: Measure = async (variant, connections, durationMs) => {
  const result = await runLoad({
    port: variant.port,
    connections,
    durationMs,
    request: (n) => httpRequest('GET', '/api/user/folders', keyOf(variant.readKeys, n)),
  });
  if (result.statuses.size !== 1 || !result.statuses.has(200)) {
    throw new Error(`Answers: ${JSON.stringify([...result.statuses])}`);
  }
  return result;
};

const keyOf = (keys: readonly string[], n: number): string => keys[n % keys.length] ?? '';

async function compare(
  operation: string,
  variants: ReadonlyMap<string, Variant>,
  connections: number,
  { rounds, durationMs }: HttpBenchOptions,
  measure: Measure,
): Promise<HttpBenchRow[]> {
  const results = await interleave([...variants.keys()], rounds, async (name) => {
    const variant = variants.get(name);
    if (!variant) throw new Error(`There is no variant ${name}.`);
    return measure(variant, connections, durationMs);
  });
  const reference = results.get('direct') ?? [];
  return [...results].map(([variant, runs]) => ({
    operation,
    connections,
    variant,
    requestsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    ratioToDirect: median(
      runs.map((run, round) => run.requestsPerSecond / (reference[round]?.requestsPerSecond ?? Number.NaN)),
    ),
  }));
}
