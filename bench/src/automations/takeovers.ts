import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../statistics.ts';
import {
  type BenchStack,
  countOf,
  gatewayPort,
  startRuns,
  succeededRuns,
  untilCount,
} from './bench-stack.ts';
import { createAutomation, flows } from './flows.ts';
import type { FigureRow } from './results.ts';

/** Of runs that a process which is gone had begun. */
const takenOver =
  "select count(*) from es.events where type = 'StepStarted' and (data ->> 'takeover')::int > 0";

/** `kill -9` of the only process that carries out runs, in the middle of steps. */
export async function measureTakeovers(bench: BenchStack, rounds: number): Promise<FigureRow[]> {
  const { stack, account, receiver, parley } = bench;
  const { id, webhookPath: path } = await createAutomation(stack.baseUrl, account, flows.http1(receiver.url));
  const moving: number[] = [];
  const done: number[] = [];
  let total = 0;
  let most = 0;
  for (let round = 0; round < rounds; round += 1) {
    receiver.hold();
    const head = await logHead(parley);
    const started = await startRuns({
      port: gatewayPort(stack),
      path,
      connections: 4,
      durationMs: 100,
      url: '',
    });
    // One process talks to one host over a few connections; the others stand before it with their steps begun.
    while (receiver.waiting() < Math.min(started, 8)) await sleep(10);
    total += started;
    most = Math.max(most, started);
    await stack.signal('automations', 'SIGKILL');
    const killedAt = performance.now();
    const seconds = () => (performance.now() - killedAt) / 1_000;
    receiver.release();
    while ((await countOf(parley, `${takenOver} and position > $1`, [head])) === 0) await sleep(20);
    moving.push(seconds());
    await untilCount(() => countOf(parley, succeededRuns, [id]), total);
    done.push(seconds());
  }
  const measured = (values: readonly number[]) =>
    `${median(values).toFixed(1)} / ${Math.max(...values).toFixed(1)} s`;
  const when = `after \`kill -9\` of the only copy, median / slowest of ${rounds}`;
  return [
    {
      figure: `the first run it had begun moves again, ${when}`,
      value: measured(moving),
      target: '20 s',
    },
    { figure: `all of them, up to ${most}, are done, ${when}`, value: measured(done), target: '' },
  ];
}

const logHead = async (parley: BenchStack['parley']): Promise<number> => {
  const { rows } = await parley.query<{ head: string }>(
    'select coalesce(max(position), 0) as head from es.events',
  );
  return Number(rows[0]?.head);
};
