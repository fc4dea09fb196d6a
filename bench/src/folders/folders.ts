import { httpRequest } from '@parley/testing/load';
import { count } from '../count.ts';
import { type Contender, watchAnswers, watchRows } from '../http/contender.ts';
import { seedAccounts } from '../http/parley.ts';
import { startPeer } from '../http/peer.ts';
import { databaseOf, gatewayPort, inTurn, mapValues, startingWith } from '../http/setup.ts';
import { postgresOf, processesOf } from '../processes/of-stack.ts';

interface Side extends Pick<Contender, 'port' | 'processes'> {
  readonly readKeys: readonly string[];
  readonly writeKeys: readonly string[];
  countFolders(): Promise<number>;
}

const accounts = 1_000;
const foldersEach = 15;

export const foldersText = {
  title: 'Folders over HTTP',
  notes: [
    '`direct` is the same two operations by hand on Fastify and pg (pool of 16, named prepared statements, the same validation and key look-up): no bus, no events, no history. `nest-mikro-orm` is NestJS on Fastify with MikroORM. 1,000 keys in rotation; rows are counted after each run.',
  ],
};

/** The folder command and the folder list beside the same two operations by hand, and by the usual framework and ORM. */
export const startFolders = startingWith(async ({ stack, onStop }) => {
  const seeded = await seedAccounts(stack.natsUrl, 2 * accounts, foldersEach);
  const assistantsUrl = databaseOf(stack, 'assistants');
  const sides = new Map<string, Side>([
    [
      'parley',
      {
        port: gatewayPort(stack),
        processes: processesOf(stack),
        ...inHalves(seeded.map(({ key }) => key)),
        countFolders: () =>
          count(assistantsUrl, "select count(*) from es.events where type = 'FolderCreated'"),
      },
    ],
  ]);
  for (const name of ['direct', 'nest-mikro-orm'] as const) {
    const peer = await startPeer(name, stack.databaseUrl, 2 * accounts, foldersEach);
    onStop(() => peer.stop());
    sides.set(name, {
      port: peer.port,
      processes: [{ name: 'peer', pid: peer.pid }, postgresOf(stack)],
      ...inHalves(peer.keys),
      countFolders: () => count(peer.databaseUrl, 'select count(*) from folders'),
    });
  }
  return [
    { name: 'POST /api/user/folder', kind: 'command', contenders: mapValues(sides, creating) },
    { name: 'GET /api/user/folders', kind: 'query', contenders: mapValues(sides, listing) },
  ];
});

const creating = ({ port, processes, writeKeys, countFolders }: Side): Contender => ({
  port,
  processes,
  request: (n, run) =>
    httpRequest('POST', '/api/user/folder', inTurn(writeKeys, n), `{"name":"Folder ${run} ${n}"}`),
  watch: watchRows(201, countFolders),
});

const listing = ({ port, processes, readKeys }: Side): Contender => ({
  port,
  processes,
  request: (n) => httpRequest('GET', '/api/user/folders', inTurn(readKeys, n)),
  watch: watchAnswers(200),
});

const inHalves = (keys: readonly string[]) => ({
  readKeys: keys.slice(0, accounts),
  writeKeys: keys.slice(accounts),
});
