import { createHash } from 'node:crypto';
import { httpRequest } from '@parley/testing/load';
import pg from 'pg';
import { insertEndedRuns, runsTable } from '../automations/ended-runs.ts';
import { createAutomation, flows } from '../automations/flows.ts';
import { type Contender, watchAnswers } from '../http/contender.ts';
import { inParallel, type SeededAccount, seedAccounts } from '../http/parley.ts';
import { createDatabase, startPeerProcess } from '../http/peer.ts';
import { databaseOf, gatewayPort, inTurn, startingWith } from '../http/setup.ts';
import { runsSchema } from '../peers/runs-schema.ts';
import { postgresOf, processesOf } from '../processes/of-stack.ts';

interface Owner extends SeededAccount {
  readonly automationId: string;
}

const accounts = 1_000;
const runsEach = 50;
const limit = 20;

export const runsText = {
  title: 'Runs of automations over HTTP',
  notes: [
    '`GET /api/user/automate/flows/{id}/runs?limit=20`, 1,000 accounts with one automation of 50 ended runs each in rotation. `direct` is the same by hand on Fastify and pg: key look-up, then the automation and its newest runs in one prepared query. The runs are put into both tables by one SQL statement.',
  ],
};

/** The newest runs of automations, beside the same list by a direct SQL query behind Fastify. */
export const startRunLists = startingWith(async ({ stack, onStop }) => {
  const seeded = await seedAccounts(stack.natsUrl, accounts, 0);
  const owners: Owner[] = [];
  await inParallel(
    seeded.length,
    async (n) => {
      const account = inTurn(seeded, n);
      const { id } = await createAutomation(stack.baseUrl, account, flows.map3());
      owners.push({ ...account, automationId: id });
    },
    32,
  );
  await fillRuns(databaseOf(stack, 'automations'), owners);
  const databaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_runs');
  await fillPeer(databaseUrl, owners);
  const peer = await startPeerProcess('direct-runs', databaseUrl);
  onStop(peer.stop);
  const contender = (port: number, processes: Contender['processes']): Contender => ({
    port,
    processes,
    request(n) {
      const { automationId, key } = inTurn(owners, n);
      return httpRequest('GET', `/api/user/automate/flows/${automationId}/runs?limit=${limit}`, key);
    },
    watch: watchAnswers(200),
  });
  const contenders = new Map([
    ['parley', contender(gatewayPort(stack), processesOf(stack))],
    ['direct', contender(peer.port, [{ name: 'peer', pid: peer.pid }, postgresOf(stack)])],
  ]);
  await expectSame(contenders, inTurn(owners, 0));
  return [{ name: 'GET /api/user/automate/flows/{id}/runs', kind: 'query', contenders }];
});

const made = `unnest($1::int[], $2::int[]) a (automation_id, account_id), generate_series(1, $3::int) n`;
const valuesFor = (owners: readonly Owner[]) => [
  owners.map(({ automationId }) => Number(automationId)),
  owners.map(({ id }) => id),
  runsEach,
];
/** The same for both sides, whenever it is asked. */
const runId = `md5(automation_id || ' ' || n)::uuid`;
const startedAt = `date_trunc('day', now()) - n * interval '1 minute'`;

async function fillRuns(databaseUrl: string, owners: readonly Owner[]): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query({
      text: insertEndedRuns({
        id: runId,
        automationId: 'automation_id',
        accountId: 'account_id',
        startedAt,
        from: made,
      }),
      values: valuesFor(owners),
    });
    await client.query(`vacuum analyze ${runsTable}`);
  });
}

async function fillPeer(databaseUrl: string, owners: readonly Owner[]): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(runsSchema);
    await client.query(
      'insert into api_keys (token_sha256, account_id) select * from unnest($1::text[], $2::int[])',
      [owners.map(({ key }) => createHash('sha256').update(key).digest('hex')), owners.map(({ id }) => id)],
    );
    await client.query('insert into automations select * from unnest($1::int[], $2::int[])', [
      owners.map(({ automationId }) => Number(automationId)),
      owners.map(({ id }) => id),
    ]);
    await client.query({
      text: `insert into runs (id, automation_id, status, started_at, active_ms)
             select ${runId}, automation_id, 'SUCCEEDED', ${startedAt}, 12 from ${made} where account_id is not null`,
      values: valuesFor(owners),
    });
    await client.query('vacuum analyze');
  });
}

async function withClient(databaseUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Both sides answer with the same content. */
async function expectSame(
  contenders: ReadonlyMap<string, Contender>,
  { automationId, key }: Owner,
): Promise<void> {
  const answers = await Promise.all(
    [...contenders.values()].map(async ({ port }) => {
      const answer = await fetch(
        `http://127.0.0.1:${port}/api/user/automate/flows/${automationId}/runs?limit=${limit}`,
        { headers: { authorization: `Bearer ${key}` } },
      );
      return answer.text();
    }),
  );
  const [first = ''] = answers;
  const { runs } = JSON.parse(first) as { readonly runs: readonly object[] };
  if (runs.length !== limit || answers.some((answer) => answer !== first))
    throw new Error(`The sides differ: ${answers.join(' / ')}`);
}
