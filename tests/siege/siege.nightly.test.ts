import { rm } from 'node:fs/promises';
import {
  createStackHome,
  eventually,
  type OwnPostgres,
  type RunningStack,
  startOwnPostgres,
  startStack,
} from '@parley/testing';
import { afterEach, expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { quantile, reportFigure } from '../support/figures.ts';
import { runParley } from '../support/run-parley.ts';
import { randomNumbers, seed } from '../support/tier.ts';
import { isAcknowledged, isAllowedRefusal, keepCommanding, noSightings, type Outcome } from './client.ts';
import { kindNames } from './commands.ts';
import { keepStriking, killsOfNats, killsOfProcesses, type Outages, outagesOfPostgres } from './outages.ts';
import { expectMarkersOnce, expectOnceInTheLog, expectOnceOutside, expectPaidOnce } from './reckoning.ts';
import { type Resident, settle } from './resident.ts';

const total = Number(process.env.PARLEY_SIEGE_COMMANDS ?? 10_000);
const clients = 32;
const copies = { gateway: 2, accounts: 2, assistants: 2, messaging: 2, telephony: 2, automations: 2 };
/** What the gateway's own limit for an answer allows, and a machine under this load on top. */
const longestAnswerMs = 12_000;
const recoveryGoalMs = 5_000;

let stack: RunningStack | undefined;
let postgres: OwnPostgres | undefined;
let home = '';
afterEach(async () => {
  await stack?.stop();
  await postgres?.stop();
  await rm(home, { recursive: true, force: true });
  stack = undefined;
  postgres = undefined;
});

interface Siege {
  readonly row: string;
  readonly name: string;
  readonly hasOwnPostgres?: true;
  readonly mayLoseConnections: boolean;
  readonly outages: (stack: RunningStack, postgres: OwnPostgres | undefined) => Outages;
}
const sieges: readonly Siege[] = [
  { row: 'A1', name: 'any process of ours', mayLoseConnections: true, outages: killsOfProcesses },
  {
    row: 'A2',
    name: 'Postgres',
    hasOwnPostgres: true,
    mayLoseConnections: false,
    outages(_, server) {
      if (!server) throw new Error('There is no Postgres to take away.');
      return outagesOfPostgres(server);
    },
  },
  { row: 'A3', name: 'NATS', mayLoseConnections: false, outages: killsOfNats },
];

test.each(sieges)(
  `$row: ${total} commands over all domains are effective once each while $name dies again and again (seed ${seed})`,
  async ({ row, hasOwnPostgres, mayLoseConnections, outages }) => {
    home = await createStackHome();
    postgres = hasOwnPostgres ? await startOwnPostgres() : undefined;
    const env = postgres ? { DATABASE_URL: postgres.url } : {};
    const running = await startStack({ home, copies, env });
    stack = running;
    const residents: Resident[] = [];
    for (let n = 0; n < clients; n += 1) residents.push(await settle(running));

    const random = randomNumbers();
    const sightings = noSightings();
    const outcomes: Outcome[] = [];
    let taken = 0;
    let isOver = false;
    const outage = outages(running, postgres);
    const striking = keepStriking(outage, random, () => isOver);
    const startedAt = performance.now();
    await Promise.all(
      residents.map((resident) =>
        keepCommanding(
          resident,
          () => taken++ < total,
          (outcome) => outcomes.push(outcome),
          { random, sightings, mayLoseConnections },
        ),
      ),
    ).finally(() => {
      isOver = true;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const struck = await striking;
    await untilQuiet(running, residents);

    const recoveries = outcomes.map(({ recoveredAfterMs }) => recoveredAfterMs).filter((ms) => ms > 0);
    const slowest = outcomes
      .toSorted((one, other) => other.recoveredAfterMs - one.recoveredAfterMs)
      .slice(0, 3)
      .map(({ kind, recoveredAfterMs }) => `${kind.name} ${recoveredAfterMs.toFixed(0)} ms`);
    const late = Map.groupBy(
      outcomes.filter(({ recoveredAfterMs }) => recoveredAfterMs > recoveryGoalMs),
      ({ kind }) => kind.name,
    );
    const refusals = outcomes.filter((outcome) => !isAcknowledged(outcome));
    const tokenless = outcomes.filter(
      ({ kind, answer }) => kind.name === 'create-api-key' && Object(answer.body).api_key?.token === null,
    );
    reportFigure(
      row,
      [
        `${outcomes.length} commands of ${new Set(outcomes.map(({ kind }) => kind.name)).size} kinds in ${seconds.toFixed(0)} s`,
        `struck ${[...struck].map(([what, times]) => `${what} ${times}`).join(', ')}`,
        ...(outage.awayMs?.length
          ? [`away ${outage.awayMs.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`]
          : []),
        `passing answers ${[...sightings.passing].map(([what, times]) => `${what} ${times}`).join(', ') || 'none'}`,
        `refusals ${refusals.length}, without a definite answer ${sightings.unanswered.length}`,
        `keys without token ${tokenless.length}`,
        `longest answer ${(quantile(sightings.waits, 1) / 1_000).toFixed(1)} s`,
        `recovery p50 ${quantile(recoveries, 0.5).toFixed(0)} ms, p99 ${quantile(recoveries, 0.99).toFixed(0)} ms of ${recoveries.length}, slowest ${slowest.join(', ')}`,
        `later than ${recoveryGoalMs / 1_000} s ${[...late].map(([kind, { length }]) => `${kind} ${length}`).join(', ') || 'none'}`,
        `seed ${seed}`,
      ].join('; '),
    );
    expect(new Set(outcomes.map(({ kind }) => kind.name))).toEqual(new Set(kindNames));
    expect(endsByThemselves(running)).toEqual([]);
    expect(sightings.unanswered).toEqual([]);
    expect(sightings.forbidden).toEqual([]);
    expect(describe(refusals.filter((outcome) => !isAllowedRefusal(outcome)))).toEqual([]);
    await expectMarkersOnce(running, outcomes);
    await expectOnceOutside(running, outcomes);
    await expectOnceInTheLog(running, outcomes);
    await expectPaidOnce(running);
    const verification = await runParley(['verify'], { PARLEY_HOME: home });
    expect(verification.code, verification.stdout + verification.stderr).toBe(0);
    expect(quantile(sightings.waits, 1)).toBeLessThan(longestAnswerMs);
    expect(quantile(recoveries, 0.99)).toBeLessThan(recoveryGoalMs);
  },
  3_600_000,
);

const describe = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ kind, answer }) => `${kind.name}: ${answer.status} ${answer.text}`);

/** Processes that ended otherwise than by the signal of this test. */
const endsByThemselves = (of: RunningStack): readonly string[] =>
  of
    .output()
    .split('\n')
    .filter((line) => /ended with|was ended by (?!SIGKILL)/.test(line));

/** Every service answers again. */
async function untilQuiet({ gatewayUrls }: RunningStack, residents: readonly Resident[]): Promise<void> {
  const key = residents[0]?.key;
  for (const url of gatewayUrls)
    for (const path of ['me', 'folders', 'conversations', 'phone-numbers/all', 'automate/flows'])
      await eventually(async () => {
        const { status, text } = await createApi(url, key).get(`/api/user/${path}`);
        if (status !== 200) throw new Error(text);
      }, 60_000);
}
