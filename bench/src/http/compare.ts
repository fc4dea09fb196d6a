import { interleave, median } from '../statistics.ts';
import { type HttpOperation, type HttpRun, type HttpStart, measure } from './contender.ts';

export interface HttpBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: readonly number[];
}

/** Medians over the rounds; ratios to the hand-written reference in the same rounds. */
export interface HttpBenchRow {
  readonly operation: string;
  readonly kind: HttpOperation['kind'];
  readonly connections: number;
  readonly variant: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly ratioToDirect: number;
  /** CPU time of a request, of all processes. */
  readonly cpuMicros: number;
  readonly cpuRatioToDirect: number;
  readonly cpuMicrosByProcess: ReadonlyMap<string, number>;
}

/** Runs until V8 has compiled what a request passes: before, it costs up to half as much again. */
const warmUpRuns = 2;

/** Every operation by all that serve it, in interleaved rounds. */
export async function runHttpBench(start: HttpStart, options: HttpBenchOptions): Promise<HttpBenchRow[]> {
  const { operations, stop } = await start();
  try {
    for (const { contenders } of operations)
      for (const contender of contenders.values())
        await measure(contender, Math.max(...options.connections), warmUpRuns * options.durationMs);
    const rows: HttpBenchRow[] = [];
    for (const connections of options.connections)
      for (const operation of operations) rows.push(...(await compare(operation, connections, options)));
    return rows;
  } finally {
    await stop();
  }
}

async function compare(
  { name: operation, kind, contenders }: HttpOperation,
  connections: number,
  { rounds, durationMs }: HttpBenchOptions,
): Promise<HttpBenchRow[]> {
  const results = await interleave([...contenders.keys()], rounds, async (name) => {
    const contender = contenders.get(name);
    if (!contender) throw new Error(`There is no variant ${name}.`);
    return measure(contender, connections, durationMs);
  });
  const reference = results.get('direct') ?? [];
  const ratio = (runs: readonly HttpRun[], of: (run: HttpRun) => number) =>
    median(
      runs.map((run, round) => {
        const direct = reference[round];
        return direct ? of(run) / of(direct) : Number.NaN;
      }),
    );
  return [...results].map(([variant, runs]) => ({
    operation,
    kind,
    connections,
    variant,
    requestsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    ratioToDirect: ratio(runs, (run) => run.requestsPerSecond),
    cpuMicros: median(runs.map(cpuMicrosOf)),
    cpuRatioToDirect: ratio(runs, cpuMicrosOf),
    cpuMicrosByProcess: mediansOf(runs),
  }));
}

const cpuMicrosOf = ({ cpuMicros }: HttpRun): number =>
  [...cpuMicros.values()].reduce((sum, micros) => sum + micros, 0);

function mediansOf(runs: readonly HttpRun[]): Map<string, number> {
  const names = new Set(runs.flatMap(({ cpuMicros }) => [...cpuMicros.keys()]));
  return new Map(
    [...names].map((name) => [name, median(runs.map(({ cpuMicros }) => cpuMicros.get(name) ?? 0))]),
  );
}
