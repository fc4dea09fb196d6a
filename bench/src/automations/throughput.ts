import type pg from 'pg';
import { interleave, median } from '../statistics.ts';
import {
  type BenchStack,
  countOf,
  gatewayPort,
  startRuns,
  succeededRuns,
  untilCount,
} from './bench-stack.ts';
import { createAutomation, flows } from './flows.ts';
import type { AutomationsBenchOptions, RunsBenchRow } from './results.ts';

interface Variant {
  readonly port: number;
  readonly path: string;
  countRuns(): Promise<number>;
  countSteps(): Promise<number>;
}

interface Throughput {
  readonly runsPerSecond: number;
  readonly stepsPerSecond: number;
}

const connections = 64;
const measured = [
  { flow: 'map3', about: '3 × data.map', steps: 3 },
  { flow: 'map20', about: '20 × data.map', steps: 20 },
  { flow: 'http3', about: '3 × http.request', steps: 3 },
] as const;

/** The same flows by both engines: started over HTTP, until the last of the runs has succeeded. */
export async function compareThroughput(
  bench: BenchStack & { readonly dbos: pg.Pool; readonly dbosPort: number },
  { rounds, durationMs }: AutomationsBenchOptions,
): Promise<RunsBenchRow[]> {
  const rows: RunsBenchRow[] = [];
  for (const { flow, about, steps } of measured) {
    const variants = new Map([
      ['parley', await parleyVariant(bench, flow)],
      ['dbos', dbosVariant(bench, flow)],
    ]);
    const measure = (name: string, ms: number) => {
      const variant = variants.get(name);
      if (!variant) throw new Error(`There is no variant ${name}.`);
      return run(variant, { steps, durationMs: ms, url: bench.receiver.url });
    };
    for (const name of variants.keys()) await measure(name, 1_000);
    const results = await interleave([...variants.keys()], rounds, (name) => measure(name, durationMs));
    const reference = results.get('dbos') ?? [];
    for (const [variant, runs] of results)
      rows.push({
        flow: about,
        variant,
        runsPerSecond: median(runs.map(({ runsPerSecond }) => runsPerSecond)),
        stepsPerSecond: median(runs.map(({ stepsPerSecond }) => stepsPerSecond)),
        ratioToDbos: median(
          runs.map(
            ({ runsPerSecond }, round) => runsPerSecond / (reference[round]?.runsPerSecond ?? Number.NaN),
          ),
        ),
      });
  }
  return rows;
}

/** Counts rows: runs that succeeded, and the steps on record, as many as there must be. */
async function run(
  { port, path, countRuns, countSteps }: Variant,
  { steps, durationMs, url }: { steps: number; durationMs: number; url: string },
): Promise<Throughput> {
  const [runsBefore, stepsBefore] = [await countRuns(), await countSteps()];
  const startedAt = performance.now();
  const runs = await startRuns({ port, path, connections, durationMs, url });
  await untilCount(countRuns, runsBefore + runs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const recorded = (await countSteps()) - stepsBefore;
  if (recorded !== runs * steps) throw new Error(`${recorded} steps of ${runs} runs.`);
  return { runsPerSecond: runs / seconds, stepsPerSecond: recorded / seconds };
}

async function parleyVariant(
  { stack, account, receiver, parley }: BenchStack,
  flow: keyof typeof flows,
): Promise<Variant> {
  const { id, webhookPath } = await createAutomation(stack.baseUrl, account, flows[flow](receiver.url));
  return {
    port: gatewayPort(stack),
    path: webhookPath,
    countRuns: () => countOf(parley, succeededRuns, [id]),
    countSteps: () => countOf(parley, "select count(*) from es.events where type = 'StepSucceeded'"),
  };
}

const dbosVariant = (
  { dbos, dbosPort }: { readonly dbos: pg.Pool; readonly dbosPort: number },
  flow: string,
): Variant => ({
  port: dbosPort,
  path: `/${flow}`,
  countRuns: () =>
    countOf(dbos, "select count(*) from dbos.workflow_status where name = $1 and status = 'SUCCESS'", [flow]),
  countSteps: () => countOf(dbos, 'select count(*) from dbos.operation_outputs'),
});
