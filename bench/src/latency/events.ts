import { eventually, startStack } from '@parley/testing';
import { httpRequest, runLoad } from '@parley/testing/load';
import { allAnswered } from '../http/contender.ts';
import { seedAccounts } from '../http/parley.ts';
import { gatewayPort, inTurn } from '../http/setup.ts';
import { atMost, type Section } from '../report/section.ts';
import { type Latencies, latenciesOf, overRounds } from './latencies.ts';
import { startSubscriber } from './subscriber-process.ts';

const accounts = 500;
const connections = 64;
const rates = [100, 1_000];
const goals = { rate: 1_000, p50Ms: 5, p99Ms: 20 };

export interface EventsBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
}

/** From the append of an event to a handler in another process, at some rates of commands over HTTP. */
export async function runEventsBench({ rounds, durationMs }: EventsBenchOptions): Promise<Section> {
  const stack = await startStack();
  try {
    const keys = (await seedAccounts(stack.natsUrl, accounts, 0)).map(({ key }) => key);
    const subscriber = await startSubscriber(stack.natsUrl, 'assistants', 'FolderCreated');
    let folders = 0;
    const measure = async (perSecond: number, forMs: number): Promise<Latencies> => {
      const answers = await runLoad({
        port: gatewayPort(stack),
        connections,
        durationMs: forMs,
        perSecond,
        request(n) {
          folders += 1;
          return httpRequest('POST', '/api/user/folder', inTurn(keys, n), `{"name":"Folder ${folders}"}`);
        },
      });
      const appended = allAnswered(answers, 201);
      const latenciesMs: number[] = [];
      await eventually(async () => {
        latenciesMs.push(...(await subscriber.report()));
        if (latenciesMs.length !== appended)
          throw new Error(`${latenciesMs.length} of ${appended} events were handled.`);
      });
      return latenciesOf(latenciesMs);
    };
    const rows: { perSecond: number; latencies: Latencies }[] = [];
    try {
      await measure(1_000, 2_000);
      for (const perSecond of rates) {
        const results: Latencies[] = [];
        for (let round = 0; round < rounds; round += 1) results.push(await measure(perSecond, durationMs));
        rows.push({ perSecond, latencies: overRounds(results) });
      }
    } finally {
      await subscriber.stop();
    }
    return sectionOf(rows);
  } finally {
    await stack.stop();
  }
}

const sectionOf = (
  rows: readonly { readonly perSecond: number; readonly latencies: Latencies }[],
): Section => ({
  title: 'From an event to a handler in another process',
  notes: [
    'Folder commands over HTTP at a given rate; a subscriber outside (`subscribeDurably`) gets the events from NATS. The time is from the event’s time of record, which is taken inside the append before its commit and fsync, to the call of the handler. Each event must be handled once.',
  ],
  tables: [
    {
      columns: [
        { name: 'events/s' },
        { name: 'events' },
        ...['p50 ms', 'p99 ms', 'slowest ms'].map((name) => ({ name, digits: 1 })),
      ],
      rows: rows.map(({ perSecond, latencies: { count, p50Ms, p99Ms, slowestMs } }) => [
        ...[perSecond, count],
        ...[p50Ms, p99Ms, slowestMs].map((value) => Number(value.toFixed(2))),
      ]),
    },
  ],
  charts: [
    {
      name: 'latency',
      title: 'From an event to a handler in another process',
      unit: 'ms',
      bars: rows.flatMap(({ perSecond, latencies: { p50Ms, p99Ms } }) =>
        Object.entries({ p50: p50Ms, p99: p99Ms }).map(([series, value]) => ({
          ...{ facet: '', group: `${perSecond} events/s`, series },
          value: Number(value.toFixed(2)),
        })),
      ),
    },
  ],
  goals: rows
    .filter(({ perSecond }) => perSecond === goals.rate)
    .flatMap(({ perSecond, latencies: { p50Ms, p99Ms } }) => [
      atMost(`event to handler at ${perSecond} events/s: p50`, p50Ms, goals.p50Ms, 'ms'),
      atMost(`event to handler at ${perSecond} events/s: p99`, p99Ms, goals.p99Ms, 'ms'),
    ]),
});
