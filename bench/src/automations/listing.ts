import { httpRequest, runLoad } from '@parley/testing/load';
import { median } from '../statistics.ts';
import { acknowledged, type BenchStack, gatewayPort } from './bench-stack.ts';
import { insertEndedRuns, runsTable } from './ended-runs.ts';
import { createAutomation, flows } from './flows.ts';
import type { AutomationsBenchOptions, FigureRow } from './results.ts';

/** The newest 20 runs of an automation with `rows` of them, through the gateway. */
export async function measureListing(
  { stack, account, parley }: BenchStack,
  { rows, rounds, durationMs }: AutomationsBenchOptions,
): Promise<FigureRow[]> {
  const { id } = await createAutomation(stack.baseUrl, account, flows.map3());
  await parley.query({
    text: insertEndedRuns({
      id: 'gen_random_uuid()',
      automationId: '$1::int8',
      accountId: '$2::int8',
      startedAt: "es.now() - n * interval '1 second'",
      from: 'generate_series(1, $3::int4) n',
    }),
    values: [id, account.id, rows],
  });
  await parley.query(`vacuum analyze ${runsTable}`);
  const path = `/api/user/automate/flows/${id}/runs?limit=20`;
  await expectTwenty(`${stack.baseUrl}${path}`, account.key);
  const figures: FigureRow[] = [];
  for (const connections of [1, 16]) {
    const results = [];
    for (let round = 0; round < rounds; round += 1) {
      const result = await runLoad({
        port: gatewayPort(stack),
        connections,
        durationMs,
        request: () => httpRequest('GET', path, account.key),
      });
      acknowledged(result);
      results.push(result);
    }
    figures.push({
      figure: `list of 20 of ${rows} runs, ${connections} at a time, p50 / p99`,
      value: `${median(results.map(({ p50Ms }) => p50Ms)).toFixed(1)} / ${median(results.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
      target: 'p99 20 ms',
    });
  }
  return figures;
}

async function expectTwenty(url: string, key: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const { runs } = (await answer.json()) as { runs: readonly object[] };
  if (runs.length !== 20) throw new Error(`${runs.length} runs are listed.`);
}
