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

/** `kill -9` of the only process that carries out runs, in the middle of steps, until every one of them is done. */
export async function measureTakeovers(bench: BenchStack, rounds: number): Promise<FigureRow[]> {
  const { stack, account, receiver, parley } = bench;
  const { id, webhookPath: path } = await createAutomation(stack.baseUrl, account, flows.http1(receiver.url));
  const seconds: number[] = [];
  let total = 0;
  let most = 0;
  for (let round = 0; round < rounds; round += 1) {
    receiver.hold();
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
    receiver.release();
    await untilCount(() => countOf(parley, succeededRuns, [id]), total);
    seconds.push((performance.now() - killedAt) / 1_000);
  }
  return [
    {
      figure: `kill -9 of the only copy until its runs, up to ${most}, are all done, median / slowest of ${rounds}`,
      value: `${median(seconds).toFixed(1)} / ${Math.max(...seconds).toFixed(1)} s`,
      target: '20 s',
    },
  ];
}
