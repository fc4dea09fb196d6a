import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort } from '@parley/embedded-servers';
import { eventually, type RunningStack } from '@parley/testing';
import pg from 'pg';
import { count } from '../count.ts';
import { inParallel } from '../http/parley.ts';
import { createDatabase, endOf, startPeerProcess } from '../http/peer.ts';
import { sendSchema } from '../peers/send-schema.ts';
import { postgresOf } from '../processes/of-stack.ts';
import { addNumber, balanceMicros, businessNumber, priceMicros, type Side, template } from './side.ts';

const sandboxEntry = join(
  import.meta.dirname,
  ...['..', '..', '..', 'services', 'sandbox', 'dist', 'main.js'],
);

/**
 * The hand-written send with the same stand-in for the chat platform: a second process of it, so that its callbacks come
 * to the one that sent.
 */
export async function startDirectSide(
  stack: RunningStack,
  senders: number,
): Promise<Side & { stop(): Promise<void> }> {
  const databaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_send');
  const platformDatabaseUrl = await createDatabase(stack.databaseUrl, 'bench_direct_send_sandbox');
  const sandboxPort = await findFreePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const peer = await startPeerProcess('direct-send', databaseUrl, { SANDBOX_URL: sandboxUrl });
  const sandbox = spawn(process.execPath, [sandboxEntry], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      DATABASE_URL: stack.databaseUrl,
      NATS_URL: stack.natsUrl,
      SANDBOX_DATABASE: 'bench_direct_send_sandbox',
      SANDBOX_PORT: String(sandboxPort),
      GATEWAY_URL: `http://127.0.0.1:${peer.port}`,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = async () => {
    await peer.stop();
    await endOf(sandbox);
  };
  try {
    await eventually(async () => {
      if (!(await fetch(`${sandboxUrl}/health`)).ok) throw new Error('The stand-in is not ready.');
    }, 30_000);
    const numberIds: string[] = [];
    const addSender = async (n: number): Promise<void> => {
      numberIds[n] = (await addNumber(sandboxUrl, businessNumber(n))).phone_number_id;
    };
    await inParallel(senders, addSender, 8);
    const keys = numberIds.map(() => randomBytes(32).toString('base64url'));
    await seed(databaseUrl, keys, numberIds);
    return {
      port: peer.port,
      processes: [
        { name: 'peer', pid: peer.pid },
        { name: 'sandbox', pid: sandbox.pid ?? 0 },
        postgresOf(stack),
      ],
      senders: keys.map((key, n) => ({ key, senderId: n + 1, templateId: n + 1 })),
      countSent: () => count(databaseUrl, 'select count(*) from messages where message_sid is not null'),
      countPaid: () =>
        count(
          databaseUrl,
          `select sum(${balanceMicros} - balance_micros) / ${priceMicros} as count from accounts`,
        ),
      platformDatabaseUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function seed(
  databaseUrl: string,
  keys: readonly string[],
  numberIds: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { name, language, body_text } = template;
  const hashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  await client.query(sendSchema);
  await client.query('insert into accounts select n, $2 from generate_series(1, $1::int) n', [
    keys.length,
    balanceMicros,
  ]);
  await client.query(
    'insert into api_keys (token_sha256, account_id) select hash, n from unnest($1::text[]) with ordinality k (hash, n)',
    [hashes],
  );
  await client.query(
    'insert into senders select n, n, id, true from unnest($1::text[]) with ordinality s (id, n)',
    [numberIds],
  );
  await client.query(
    `insert into templates select n, n, $2, $3, 'approved', $4, $5 from generate_series(1, $1::int) n`,
    [keys.length, name, language, body_text, priceMicros],
  );
  await client.query('vacuum analyze');
  await client.end();
}
