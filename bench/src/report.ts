import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { AppendBenchRow } from './append.ts';
import type { AssistantsBenchRow } from './assistants/assistants-bench.ts';
import type { AutomationsBenchResults } from './automations/results.ts';
import { automationsTables } from './automations/tables.ts';
import type { HttpBenchRow } from './http/http-bench.ts';
import type { RebuildBenchRow } from './rebuild/rebuild-bench.ts';
import type { SendBenchRow } from './send/send-bench.ts';

export interface BenchResults {
  readonly append: readonly AppendBenchRow[];
  readonly http: readonly HttpBenchRow[];
  readonly send: readonly SendBenchRow[];
  readonly assistants: readonly AssistantsBenchRow[];
  readonly automations: AutomationsBenchResults;
  readonly rebuild: readonly RebuildBenchRow[];
  readonly rounds: number;
  readonly durationMs: number;
}

/** Prints the tables; with `isKept`, also writes them to docs/benchmarks.md with the machine described. */
export async function writeReport(results: BenchResults, isKept: boolean): Promise<void> {
  const text = [
    heading(results),
    appendTable(results.append),
    httpTable(results.http),
    sendTable(results.send),
    assistantsTable(results.assistants),
    automationsTables(results.automations),
    rebuildTable(results.rebuild),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  process.stdout.write(`${text}\n`);
  if (isKept) await writeFile(join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md'), `${text}\n`);
}

function heading({ rounds, durationMs }: BenchResults): string {
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return [
    '# Benchmarks',
    '',
    `\`npm run bench -- --write\` made this page: medians of ${rounds} interleaved rounds of ${durationMs / 1000} s, the load on the same ${cpus().length} cores (${memoryGib} GiB) as everything it measures, Node ${process.versions.node}, Postgres 18 with fsync.`,
    '',
    'Ratios are taken within a round and compare variants that ran seconds apart; absolute figures are this machine on that day.',
  ].join('\n');
}

function appendTable(rows: readonly AppendBenchRow[]): string {
  if (rows.length === 0) return '';
  return [
    '## Append',
    '',
    'Single events, 32 writers. `parley` records event, stream version and command with its answer; the others insert one row.',
    '',
    '| variant | rows/s | ratio to pooled INSERT | ratio to pgbench |',
    '|---|---|---|---|',
    ...rows.map(
      ({ variant, rowsPerSecond, ratioToPooled, ratioToPgbench }) =>
        `| ${variant} | ${Math.round(rowsPerSecond)} | ${ratioToPooled.toFixed(2)} | ${ratioToPgbench?.toFixed(2) ?? 'no pgbench'} |`,
    ),
  ].join('\n');
}

function httpTable(rows: readonly HttpBenchRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ operation, connections, variant, requestsPerSecond, p50Ms, p99Ms, ratioToDirect }) =>
      [
        operation,
        connections,
        variant,
        Math.round(requestsPerSecond),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        ratioToDirect.toFixed(2),
      ].join(' | '),
  );
  return [
    '## HTTP',
    '',
    '`direct` is the same two operations by hand on Fastify and pg (pool of 16, named prepared statements, the same validation and key look-up); `nest-mikro-orm` is NestJS on Fastify with MikroORM. 1,000 keys in rotation; rows are counted after each run.',
    '',
    '| operation | connections | variant | requests/s | p50 ms | p99 ms | ratio to direct |',
    '|---|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

function sendTable(rows: readonly SendBenchRow[]): string {
  if (rows.length === 0) return '';
  return [
    '## Sends',
    '',
    '`POST /api/user/chatapp/send` of a template, each to somebody new, 500 accounts in rotation with one unlimited sender each, the sandbox answering at once on the same cores. `direct` is the same work by hand on Fastify, pg and fetch: one query for key, sender and template, one statement that debits the balance and records the message before the platform is asked, one that records its answer, and the callbacks; no bus, no events, no idempotency keys, no recovery of a send that a crash interrupts. What was asked of the sandbox, recorded and paid is counted after each run.',
    '',
    '| connections | variant | sends/s | p50 ms | p99 ms | ratio to direct |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ connections, variant, sendsPerSecond, p50Ms, p99Ms, ratioToDirect }) =>
        `| ${connections} | ${variant} | ${Math.round(sendsPerSecond)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${ratioToDirect.toFixed(2)} |`,
    ),
  ].join('\n');
}

function assistantsTable(rows: readonly AssistantsBenchRow[]): string {
  if (rows.length === 0) return '';
  return [
    '## Pages of assistants',
    '',
    '`GET /api/user/assistants/get?per_page=100`, any page of an account with 10,000 assistants. `direct` is the same page by a SQL query on a table with a column per field, behind Fastify.',
    '',
    '| connections | variant | requests/s | p50 ms | p99 ms | ratio of p99 to direct |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ connections, variant, requestsPerSecond, p50Ms, p99Ms, p99Ratio }) =>
        `| ${connections} | ${variant} | ${Math.round(requestsPerSecond)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${p99Ratio.toFixed(2)} |`,
    ),
  ].join('\n');
}

function rebuildTable(rows: readonly RebuildBenchRow[]): string {
  if (rows.length === 0) return '';
  return [
    '## Rebuilding a view',
    '',
    'The view of folders made anew by one running service, row-identical to what was there, while `GET /api/user/folders` is asked one request after the other through the gateway; none failed. Peak RSS is the service’s.',
    '',
    '| events | events/s | peak RSS MiB | requests meanwhile | slowest ms |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ events, eventsPerSecond, peakRssMib, requests, slowestMs }) =>
        `| ${events} | ${Math.round(eventsPerSecond)} | ${Math.round(peakRssMib)} | ${requests} | ${Math.round(slowestMs)} |`,
    ),
  ].join('\n');
}
