import { startStack } from '@parley/testing';
import pg from 'pg';
import { seedAccounts } from '../http/parley.ts';
import { createDatabase, startPeerProcess } from '../http/peer.ts';
import { measureListing } from './listing.ts';
import { startReceiver } from './receiver.ts';
import type { AutomationsBenchOptions, AutomationsBenchResults } from './results.ts';
import { measureTakeovers } from './takeovers.ts';
import { compareThroughput } from './throughput.ts';
import { measureTimers } from './timers.ts';

/** Runs of automations beside DBOS workflows on the same Postgres, then timers, takeovers and lists on their own. */
export async function runAutomationsBench(
  options: AutomationsBenchOptions,
): Promise<AutomationsBenchResults> {
  const stack = await startStack();
  const stops: (() => Promise<void>)[] = [() => stack.stop()];
  try {
    const receiver = await startReceiver();
    stops.unshift(() => receiver.close());
    const [account] = await seedAccounts(stack.natsUrl, 1, 0);
    if (!account) throw new Error('There is no account.');
    const dbosUrl = await createDatabase(stack.databaseUrl, 'bench_dbos');
    const peer = await startPeerProcess('dbos', dbosUrl);
    stops.unshift(peer.stop);
    const [parley, dbos] = [new URL('/parley_automations', stack.databaseUrl).href, dbosUrl].map(
      (connectionString) => new pg.Pool({ connectionString, max: 2 }),
    );
    if (!parley || !dbos) throw new Error('A database is missing.');
    for (const pool of [parley, dbos]) {
      // The server may end first.
      pool.on('error', () => undefined);
      stops.unshift(() => pool.end());
    }
    const bench = { stack, account, receiver, parley };
    const runs = await compareThroughput({ ...bench, dbos, dbosPort: peer.port }, options);
    const figures = [
      ...(await measureTakeovers(bench, Math.min(options.rounds, 3))),
      ...(await measureTimers(bench, options)),
      ...(await measureListing(bench, options)),
    ];
    return { runs, figures };
  } finally {
    for (const stop of stops) await stop();
  }
}
