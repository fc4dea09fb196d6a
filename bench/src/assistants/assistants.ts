import { createHash } from 'node:crypto';
import type { RunningStack } from '@parley/testing';
import { httpRequest } from '@parley/testing/load';
import pg from 'pg';
import { type Contender, watchAnswers } from '../http/contender.ts';
import { issueKeys, type SeededAccount, seedAccounts, seedAssistants } from '../http/parley.ts';
import { createDatabase, startPeerProcess } from '../http/peer.ts';
import { databaseOf, gatewayPort, inTurn, startingWith } from '../http/setup.ts';
import { assistantsSchema } from '../peers/assistants-schema.ts';
import { postgresOf, processesOf } from '../processes/of-stack.ts';

const assistants = 10_000;
const perPage = 100;
const keysOfAccount = 100;

export const assistantsText = {
  title: 'Pages of assistants',
  notes: [
    '`GET /api/user/assistants/get?per_page=100`, any page of an account with 10,000 assistants and 100 keys. `direct` is the same page by a SQL query on a table with a column per field, behind Fastify. An answer is about 100 kB: most of the time on both sides is moving it.',
  ],
  isLong: true,
};

/** Any page of 100 of an account with 10,000 assistants, beside the same page by a direct SQL query behind Fastify. */
export const startAssistants = startingWith(async ({ stack, onStop }) => {
  const [account] = await seedAccounts(stack.natsUrl, 1, 0);
  if (!account) throw new Error('There is no account.');
  const keys = await issueKeys(stack.natsUrl, account.id, keysOfAccount);
  await seedAssistants(stack.natsUrl, account.id, assistants);
  const databaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_assistants');
  await copyToPeer(stack, databaseUrl, account, keys);
  const peer = await startPeerProcess('direct-assistants', databaseUrl);
  onStop(peer.stop);
  const request = (n: number) => pageRequest(inTurn(keys, n), n);
  const contenders = new Map<string, Contender>([
    [
      'parley',
      { port: gatewayPort(stack), processes: processesOf(stack), request, watch: watchAnswers(200) },
    ],
    [
      'direct',
      {
        port: peer.port,
        processes: [{ name: 'peer', pid: peer.pid }, postgresOf(stack)],
        request,
        watch: watchAnswers(200),
      },
    ],
  ]);
  return [{ name: 'GET /api/user/assistants/get', kind: 'query', contenders }];
});

function pageRequest(key: string, n: number): string {
  const pages = assistants / perPage;
  // A prime step: neighbours in time are no neighbours in the table.
  const page = ((n * 37) % pages) + 1;
  return httpRequest('GET', `/api/user/assistants/get?per_page=${perPage}&page=${page}`, key);
}

/** The same rows, so that both answer with the same content. */
async function copyToPeer(
  stack: RunningStack,
  peerUrl: string,
  account: SeededAccount,
  keys: readonly string[],
): Promise<void> {
  const source = new pg.Client({ connectionString: databaseOf(stack, 'assistants') });
  const target = new pg.Client({ connectionString: peerUrl });
  await Promise.all([source.connect(), target.connect()]);
  const { rows } = await source.query<{ body: string }>({
    text: 'select body from view_assistants_v1.assistants where account_id = $1 order by id',
    values: [account.id],
  });
  await target.query(assistantsSchema);
  await target.query('insert into api_keys (token_sha256, account_id) select unnest($2::text[]), $1', [
    account.id,
    keys.map((key) => createHash('sha256').update(key).digest('hex')),
  ]);
  for (let from = 0; from < rows.length; from += 1_000) {
    const part = rows.slice(from, from + 1_000).map(({ body }) => body);
    await target.query(
      'insert into assistants select * from jsonb_populate_recordset(null::assistants, $1)',
      [`[${part.join()}]`],
    );
  }
  await target.query('vacuum analyze');
  await source.query('vacuum analyze');
  await Promise.all([source.end(), target.end()]);
}
