import { rm } from 'node:fs/promises';
import { createStackHome, startStack } from '@parley/testing';
import { atMost, type Section } from '../report/section.ts';
import { median } from '../statistics.ts';

interface StartUp {
  readonly firstMs: number;
  readonly secondMs: number;
}

/** A stack with a home of its own, started twice: as `npm start` does it once everything is installed and built. */
async function startTwice(): Promise<StartUp> {
  const home = await createStackHome();
  try {
    const times: number[] = [];
    for (let start = 0; start < 2; start += 1) {
      const stack = await startStack({ hasDemo: true, home });
      times.push(stack.readyAfterMs);
      await stack.stop();
    }
    const [firstMs = Number.NaN, secondMs = Number.NaN] = times;
    return { firstMs, secondMs };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

export async function runStartUpBench(rounds: number): Promise<Section> {
  const starts: StartUp[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await startTwice());
  const figures = [
    ['first start: databases and demo data are made', starts.map(({ firstMs }) => firstMs)],
    ['second start', starts.map(({ secondMs }) => secondMs)],
  ] as const;
  const second = median(starts.map(({ secondMs }) => secondMs));
  return {
    title: 'Start-up',
    notes: [
      `\`parley up\` with all services, Postgres, NATS and the sandbox, from the start of the process to its \`ready\` line, ${rounds} times; installing and building, which \`npm start\` does before when something has changed, is not in it.`,
    ],
    tables: [
      {
        columns: [{ name: '' }, { name: 'median s', digits: 1 }, { name: 'slowest s', digits: 1 }],
        rows: figures.map(([figure, times]) => [figure, median(times) / 1_000, Math.max(...times) / 1_000]),
      },
    ],
    charts: [],
    goals: [atMost('second start to ready', second / 1_000, 10, 's')],
  };
}
