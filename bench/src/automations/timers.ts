import {
  type BenchStack,
  countOf,
  gatewayPort,
  startRuns,
  succeededRuns,
  untilCount,
} from './bench-stack.ts';
import { runsTable } from './ended-runs.ts';
import { createAutomation, flows } from './flows.ts';
import type { AutomationsBenchOptions, FigureRow } from './results.ts';

/** Delays of runs that end beside `rows` timers that wait: how late the platform clock stood in the resuming append. */
export async function measureTimers(
  { stack, account, parley }: BenchStack,
  { rows, durationMs }: AutomationsBenchOptions,
): Promise<FigureRow[]> {
  await parley.query({
    text: `insert into es.timers (id, kind, due_at, payload, created_at)
           select 'run:' || id, 'run-delay', es.now() + interval '30 days' + n * interval '1 second',
             jsonb_build_object('run_id', id, 'gen', 1), es.now()
           from (select n, gen_random_uuid() as id from generate_series(1, $1::int4) n) made`,
    values: [rows],
  });
  await parley.query('vacuum analyze es.timers');
  const { id, webhookPath: path } = await createAutomation(stack.baseUrl, account, flows.delay());
  const started = await startRuns({ port: gatewayPort(stack), path, connections: 1, durationMs, url: '' });
  await untilCount(() => countOf(parley, succeededRuns, [id]), started);
  const { rows: found } = await parley.query<{ count: string; p50: number; p99: number; early: string }>({
    text: `select count(*), count(*) filter (where late < 0) as early,
             percentile_cont(0.5) within group (order by late) as p50,
             percentile_cont(0.99) within group (order by late) as p99
           from (
             select extract(epoch from resumed.recorded_at - (paused.data ->> 'until')::timestamptz)::float8 * 1000 as late
             from ${runsTable} r
             join es.events paused on paused.stream_id = 'run-' || r.id and paused.type = 'RunPaused'
             join es.events resumed on resumed.stream_id = paused.stream_id and resumed.type = 'RunResumed'
             where r.automation_id = $1
           ) delays`,
    values: [id],
  });
  const [{ count, early, p50, p99 } = { count: '0', early: '0', p50: Number.NaN, p99: Number.NaN }] = found;
  if (Number(count) !== started || Number(early) > 0)
    throw new Error(`${count} of ${started} delays ended, ${early} of them early.`);
  const pace = Math.round(started / (durationMs / 1_000));
  return [
    {
      figure: `lateness of a timer beside ${rows} pending, ${pace} due a second, p50 / p99`,
      value: `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`,
      target: '5 / 50 ms',
    },
  ];
}
