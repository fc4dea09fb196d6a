import { createHash, randomBytes } from 'node:crypto';
import { httpRequest } from '@parley/testing/load';
import pg from 'pg';
import { count } from '../count.ts';
import { type Contender, watchRows } from '../http/contender.ts';
import { seedAccounts, seedCampaigns } from '../http/parley.ts';
import { createDatabase, startPeerProcess } from '../http/peer.ts';
import { databaseOf, gatewayPort, inTurn, mapValues, startingWith } from '../http/setup.ts';
import { leadsSchema } from '../peers/leads-schema.ts';
import { postgresOf, processesOf } from '../processes/of-stack.ts';

interface Campaign {
  readonly key: string;
  readonly id: number;
}

interface Side extends Pick<Contender, 'port' | 'processes'> {
  readonly campaigns: readonly Campaign[];
  countLeads(): Promise<number>;
}

const accounts = 1_000;

export const leadsText = {
  title: 'Leads over HTTP',
  notes: [
    '`POST /api/user/lead` with two variables, each with a number that is new in its campaign, 1,000 accounts with a stopped campaign each in rotation. `direct` is the same by hand on Fastify and pg: key look-up, the same checks of the number, campaign and lead in one statement with a unique index for the number. Rows are counted after each run.',
  ],
};

/** Leads added to campaigns one by one, beside the same work written by hand. */
export const startLeads = startingWith(async ({ stack, onStop }) => {
  const seeded = await seedAccounts(stack.natsUrl, accounts, 0);
  const ids = await seedCampaigns(stack.natsUrl, seeded);
  const parleyUrl = databaseOf(stack, 'assistants');
  const databaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_leads');
  const campaigns = await seedPeer(databaseUrl);
  const peer = await startPeerProcess('direct-leads', databaseUrl);
  onStop(peer.stop);
  const sides = new Map<string, Side>([
    [
      'parley',
      {
        port: gatewayPort(stack),
        processes: processesOf(stack),
        campaigns: seeded.map(({ key }, n) => ({ key, id: inTurn(ids, n) })),
        countLeads: () => count(parleyUrl, "select count(*) from es.events where type = 'LeadCreated'"),
      },
    ],
    [
      'direct',
      {
        port: peer.port,
        processes: [{ name: 'peer', pid: peer.pid }, postgresOf(stack)],
        campaigns,
        countLeads: () => count(databaseUrl, 'select count(*) from leads'),
      },
    ],
  ]);
  return [{ name: 'POST /api/user/lead', kind: 'command', contenders: mapValues(sides, creating) }];
});

let numbers = 0;

const creating = ({ port, processes, campaigns, countLeads }: Side): Contender => ({
  port,
  processes,
  request() {
    numbers += 1;
    const { key, id } = inTurn(campaigns, numbers);
    const body = {
      campaign_id: id,
      phone_number: `+49151${String(numbers).padStart(8, '0')}`,
      variables: { name: 'Ada', order: numbers },
    };
    return httpRequest('POST', '/api/user/lead', key, JSON.stringify(body));
  },
  watch: watchRows(200, countLeads),
});

async function seedPeer(databaseUrl: string): Promise<Campaign[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(leadsSchema);
  const keys = Array.from({ length: accounts }, () => randomBytes(32).toString('base64url'));
  await client.query(
    'insert into api_keys (token_sha256, account_id) select hash, n from unnest($1::text[]) with ordinality k (hash, n)',
    [keys.map((key) => createHash('sha256').update(key).digest('hex'))],
  );
  await client.query(
    `insert into campaigns (id, account_id, name, channel) overriding system value
     select n, n, 'Bench', 'sms' from generate_series(1, $1::int) n`,
    [accounts],
  );
  await client.query('vacuum analyze');
  await client.end();
  return keys.map((key, n) => ({ key, id: n + 1 }));
}
