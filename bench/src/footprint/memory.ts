import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningStack, startStack } from '@parley/testing';
import { httpRequest, runLoad } from '@parley/testing/load';
import { seedAccounts } from '../http/parley.ts';
import { gatewayPort, inTurn } from '../http/setup.ts';
import { processesOf } from '../processes/of-stack.ts';
import { type Memory, memoryByName } from '../processes/proc.ts';
import { atMost, type Section } from '../report/section.ts';

const accounts = 500;
const connections = 64;
/** Two looks of an idle process at itself. */
const restMs = 45_000;
/** 900 MB. */
const goalMib = 858;

interface Measured {
  readonly atRest: ReadonlyMap<string, Memory>;
  readonly underLoad: ReadonlyMap<string, Memory>;
  readonly afterwards: ReadonlyMap<string, Memory>;
}

/** The whole stack as a user starts it: at rest, while it works, and at rest again. */
async function measureMemory(loadMs: number): Promise<Measured> {
  const stack = await startStack({ hasDemo: true });
  try {
    const read = () => memoryByName(processesOf(stack));
    await sleep(restMs);
    const atRest = await read();
    const seeded = await seedAccounts(stack.natsUrl, accounts, 0);
    const loaded = load(
      stack,
      seeded.map(({ key }) => key),
      loadMs,
    );
    const [underLoad] = await Promise.all([sleep(loadMs * 0.9).then(read), loaded]);
    await sleep(restMs);
    return { atRest, underLoad, afterwards: await read() };
  } finally {
    await stack.stop();
  }
}

/** Folders made and listed in turn. */
async function load(stack: RunningStack, keys: readonly string[], durationMs: number): Promise<void> {
  const { statuses } = await runLoad({
    port: gatewayPort(stack),
    connections,
    durationMs,
    request(n) {
      const key = inTurn(keys, n >> 1);
      if (n % 2 === 1) return httpRequest('GET', '/api/user/folders', key);
      return httpRequest('POST', '/api/user/folder', key, `{"name":"Folder ${n}"}`);
    },
  });
  const unexpected = [...statuses].filter(([status]) => status !== 200 && status !== 201);
  if (unexpected.length > 0) throw new Error(`Answers: ${JSON.stringify(unexpected)}`);
}

export async function runMemoryBench(loadMs: number): Promise<Section> {
  const { atRest, underLoad, afterwards } = await measureMemory(loadMs);
  const moments = [atRest, underLoad, afterwards];
  const names = [...atRest.keys()].sort((a, b) => pssOf(atRest, b) - pssOf(atRest, a));
  const sum = (moment: ReadonlyMap<string, Memory>, of: (memory: Memory) => number) =>
    [...moment.values()].reduce((total, memory) => total + of(memory), 0);
  const pssAtRest = sum(atRest, ({ pssMib }) => pssMib);
  return {
    title: 'Memory',
    notes: [
      `The whole stack as \`npm start\` brings it up, demo data included: ${restMs / 1_000} s after it was ready, near the end of ${loadMs / 1_000} s of folder commands and lists by ${connections} connections, and ${restMs / 1_000} s later. PSS counts a page that several processes share for each by its part, so its sum is what the machine has to hold; RSS counts it for each in full (Postgres backends share their buffers, Node processes their program).`,
    ],
    tables: [
      {
        columns: ['process', 'PSS MiB at rest', 'under load', 'afterwards', 'RSS MiB at rest'].map(
          (name) => ({ name }),
        ),
        rows: [
          ...names.map((name) => [
            name,
            ...moments.map((moment) => Math.round(pssOf(moment, name))),
            Math.round(atRest.get(name)?.rssMib ?? 0),
          ]),
          [
            'all',
            ...moments.map((moment) => Math.round(sum(moment, ({ pssMib }) => pssMib))),
            Math.round(sum(atRest, ({ rssMib }) => rssMib)),
          ],
        ],
      },
    ],
    charts: [
      {
        name: 'pss',
        title: 'Memory of the whole stack (PSS)',
        unit: 'MiB',
        bars: names.flatMap((name) =>
          (['at rest', 'under load'] as const).map((series, index) => ({
            ...{ facet: '', group: name, series },
            value: Math.round(pssOf(moments[index] ?? atRest, name)),
          })),
        ),
      },
    ],
    goals: [atMost('memory of the whole stack at rest (PSS)', Math.round(pssAtRest), goalMib, 'MiB')],
  };
}

const pssOf = (moment: ReadonlyMap<string, Memory>, name: string): number => moment.get(name)?.pssMib ?? 0;
