import { type LoadResult, runLoad } from '@parley/testing/load';
import { cpuMsByName, type NamedProcess } from '../processes/proc.ts';

/** One side of a comparison: what serves an operation over HTTP. */
export interface Contender {
  readonly port: number;
  /** Everything that works for it; the load is not part of it. */
  readonly processes: readonly NamedProcess[];
  /** The bytes of the n-th request of a run; `run` is another text for each. */
  request(n: number, run: string): string;
  /** Called before the load; what it resolves with gets the answers, and rejects when what is on record differs. */
  watch(): Promise<(answers: LoadResult) => Promise<void>>;
}

/** The same work on every side. */
export interface HttpOperation {
  /** Method and path. */
  readonly name: string;
  readonly kind: 'command' | 'query';
  /** By variant; `parley` and `direct` among them. */
  readonly contenders: ReadonlyMap<string, Contender>;
}

/** A stack and its peers, running and filled, with the operations that can be asked of them. */
export interface HttpSetup {
  readonly operations: readonly HttpOperation[];
  stop(): Promise<void>;
}

/** Starts everything; `env` is given to the stack. */
export type HttpStart = (env?: Readonly<Record<string, string>>) => Promise<HttpSetup>;

export interface HttpRun extends LoadResult {
  /** CPU microseconds of each process divided by the requests answered. */
  readonly cpuMicros: ReadonlyMap<string, number>;
}

let runs = 0;

/** One run, with the CPU time that it cost. */
export async function measure(
  contender: Contender,
  connections: number,
  durationMs: number,
): Promise<HttpRun> {
  const { port, processes } = contender;
  runs += 1;
  const run = `${process.pid}-${runs}`;
  const check = await contender.watch();
  const before = await cpuMsByName(processes);
  const result = await runLoad({
    port,
    connections,
    durationMs,
    request: (n) => contender.request(n, run),
  });
  const after = await cpuMsByName(processes);
  await check(result);
  const answered = [...result.statuses.values()].reduce((sum, count) => sum + count, 0);
  if (answered === 0) throw new Error('There was no answer.');
  const cpuMicros = [...after].map(
    ([name, ms]) => [name, ((ms - (before.get(name) ?? 0)) * 1_000) / answered] as const,
  );
  return { ...result, cpuMicros: new Map(cpuMicros) };
}

/** Rejects unless every answer had that status; how many there were. */
export function allAnswered({ statuses }: LoadResult, status: number): number {
  if (statuses.size !== 1 || !statuses.has(status))
    throw new Error(`Answers: ${JSON.stringify([...statuses])}`);
  return statuses.get(status) ?? 0;
}

/** For a query, whose answers are all there is. */
export const watchAnswers = (status: number) => async () => async (answers: LoadResult) => {
  allAnswered(answers, status);
};

/** For a command: an answer without its row, or a row without its answer, fails the run. */
export const watchRows = (status: number, count: () => Promise<number>) => async () => {
  const before = await count();
  return async (answers: LoadResult) => {
    const acknowledged = allAnswered(answers, status);
    const rows = (await count()) - before;
    if (rows !== acknowledged) throw new Error(`${rows} rows for ${acknowledged} answers.`);
  };
};
