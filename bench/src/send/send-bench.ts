import { eventually, startStack } from '@parley/testing';
import { httpRequest, type LoadResult, runLoad } from '../http/load.ts';
import { interleave, median } from '../statistics.ts';
import { startDirectSide } from './direct-side.ts';
import { parleySide } from './parley-side.ts';
import { countAsked, countWaiting, type Side } from './side.ts';

export interface SendBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: readonly number[];
}

/** One line of the table: medians over the rounds, and the ratio to the hand-written reference in the same rounds. */
export interface SendBenchRow {
  readonly connections: number;
  readonly variant: string;
  readonly sendsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly ratioToDirect: number;
}

/** In rotation, so that none comes near five sends a second. */
const senders = 500;

/** Template sends from the request to the platform's answer, beside the same work written by hand. */
export async function runSendBench(options: SendBenchOptions): Promise<SendBenchRow[]> {
  const stack = await startStack();
  const stops: (() => Promise<void>)[] = [() => stack.stop()];
  try {
    const direct = await startDirectSide(stack, senders);
    stops.unshift(direct.stop);
    const sides = new Map<string, Side>([
      ['parley', await parleySide(stack, senders)],
      ['direct', direct],
    ]);
    for (const side of sides.values()) await send(side, 16, 1_500);
    const rows: SendBenchRow[] = [];
    for (const connections of options.connections) rows.push(...(await compare(sides, connections, options)));
    return rows;
  } finally {
    for (const stop of stops) await stop();
  }
}

async function compare(
  sides: ReadonlyMap<string, Side>,
  connections: number,
  { rounds, durationMs }: SendBenchOptions,
): Promise<SendBenchRow[]> {
  const results = await interleave([...sides.keys()], rounds, async (name) => {
    const side = sides.get(name);
    if (!side) throw new Error(`There is no variant ${name}.`);
    return send(side, connections, durationMs);
  });
  const reference = results.get('direct') ?? [];
  return [...results].map(([variant, runs]) => ({
    connections,
    variant,
    sendsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    ratioToDirect: median(
      runs.map((run, round) => run.requestsPerSecond / (reference[round]?.requestsPerSecond ?? Number.NaN)),
    ),
  }));
}

let sent = 0;

/** Each send is to somebody new. What was answered, asked of the platform, recorded and paid must be one number. */
async function send(side: Side, connections: number, durationMs: number): Promise<LoadResult> {
  const before = await countAll(side);
  const result = await runLoad({
    port: side.port,
    connections,
    durationMs,
    request: () => {
      sent += 1;
      const from = side.senders[sent % side.senders.length];
      if (!from) throw new Error('There are no senders.');
      const body = {
        sender_id: from.senderId,
        template_id: from.templateId,
        recipient_phone: `+49171${String(sent).padStart(7, '0')}`,
      };
      return httpRequest('POST', '/api/user/chatapp/send', from.key, JSON.stringify(body));
    },
  });
  const after = await countAll(side);
  const acknowledged = result.statuses.get(200) ?? 0;
  const counted = after.map((number, index) => number - (before[index] ?? 0));
  if (result.statuses.size !== 1 || counted.some((number) => number !== acknowledged))
    throw new Error(
      `Asked, recorded and paid ${counted.join(', ')} times for ${JSON.stringify([...result.statuses])}`,
    );
  await untilQuiet(side);
  return result;
}

const countAll = (side: Side): Promise<readonly number[]> =>
  Promise.all([countAsked(side), side.countSent(), side.countPaid()]);

/** What follows a send must not run into the next variant's time. */
const untilQuiet = (side: Side): Promise<void> =>
  eventually(async () => {
    const waiting = await countWaiting(side);
    if (waiting > 0) throw new Error(`${waiting} callbacks are on their way.`);
  }, 120_000);
