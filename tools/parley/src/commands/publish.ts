import { setTimeout as sleep } from 'node:timers/promises';
import { getPublication, publishAgain } from '@parley/contracts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { startProgressLine } from '../output/progress.ts';
import { countOf } from '../output/table.ts';
import { formatDuration } from '../output/time.ts';

const pollMs = 100;
/**
 * How long to wait without progress, in milliseconds. It ends the wait where the last event is too large for NATS
 * and so is never sent.
 */
const patienceMs = 20_000;

interface PublishOptions {
  readonly service: string;
  readonly from: number;
  readonly json: boolean;
}

/** Sends a service's events to the bus again from a position on, and waits until the last one is there. */
export async function publish(operator: Operator, { service, from, json }: PublishOptions): Promise<void> {
  const startedAt = performance.now();
  const begun = expectOk(await operator.ask(service, publishAgain, { from }), service);
  const { until } = begun;
  const total = until - from + 1;
  const line = startProgressLine(service, process.stderr);
  let seen = { position: 0, at: performance.now() };
  for (;;) {
    const { position } = expectOk(await operator.ask(service, getPublication, {}), service);
    const sent = Math.max(0, Math.min(position, until) - from + 1);
    line.show({ done: sent, total });
    if (position >= until) break;
    const now = performance.now();
    if (position !== seen.position) seen = { position, at: now };
    if (now - seen.at > patienceMs) {
      line.clear();
      throw new CommandFailed(
        `${service}: ${countOf(sent, 'event')} of ${total} sent again, and it does not go on. It will when NATS is back and stores events: is there room on its disk and in its limits?`,
        exitCodes.unreachable,
      );
    }
    await sleep(pollMs);
  }
  line.clear();
  const elapsedMs = Math.max(1, Math.round(performance.now() - startedAt));
  const outcome = { service, from, until, events: total, elapsed_ms: elapsedMs };
  const rate = countOf((total / elapsedMs) * 1000, 'event');
  const text = `${service}  ${countOf(total, 'event')} sent again in ${formatDuration(elapsedMs)} (${rate}/s)`;
  process.stdout.write(`${json ? JSON.stringify(outcome) : text}\n`);
}
