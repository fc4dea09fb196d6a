import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, type ServerProcess, spawnServer } from '@parley/embedded-servers';
import { makeDataFolder } from './data-folder.ts';
import { checkout, natsBinary } from './nats-binary.ts';

/**
 * Three NATS servers of one cluster on the loopback address, configured by `deploy/nats-cluster.conf`, and with the users
 * of `deploy/nats-reader.conf`.
 */
export interface OwnNatsCluster {
  /** All three, separated by commas. */
  readonly url: string;
  /** One of them, for the user that only reads. */
  readonly readerUrl: string;
  /** Names of the servers. */
  readonly nodes: readonly string[];
  /** Ends one without any goodbye; what it has stored stays. */
  kill(node: string): Promise<void>;
  /** Again, at the same address. */
  start(node: string): Promise<void>;
  /** All of them, for good. */
  stop(): Promise<void>;
}

const password = 'cluster';

/** Rejects when a server does not start. The caller must `stop` it, which deletes its data. */
export async function startOwnNatsCluster(): Promise<OwnNatsCluster> {
  const dir = await makeDataFolder('nats-cluster');
  const binary = await natsBinary();
  const deploy = (file: string) => readFile(join(checkout, 'deploy', file), 'utf8');
  const users = await deploy('nats-reader.conf');
  const deployed = (await deploy('nats-cluster.conf')).replace(/^authorization \{[^}]*\}/m, () => users);
  const nodes = ['nats-1', 'nats-2', 'nats-3'];
  const ports = new Map<string, { readonly clients: number; readonly routes: number }>();
  for (const node of nodes) ports.set(node, { clients: await findFreePort(), routes: await findFreePort() });
  const routes = [...ports.values()].map((port) => `nats://route:${password}@127.0.0.1:${port.routes}`);
  const running = new Map<string, ServerProcess>();

  async function start(node: string): Promise<void> {
    const { clients = 0, routes: ownRoutes = 0 } = ports.get(node) ?? {};
    const configurationFile = join(dir, `${node}.conf`);
    const configuration = deployed
      .replace('0.0.0.0:4222', `127.0.0.1:${clients}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${ownRoutes}`)
      .replace('http: 8222', '')
      .replace('/data', join(dir, node))
      // Servers before 2.10 do not know it, and refuse what they do not know.
      .replace('sync_interval: always', '');
    await writeFile(configurationFile, configuration);
    const server = await spawnServer({
      command: binary,
      args: ['--config', configurationFile, '--name', node, '--routes', routes.join(',')],
      url: `nats://parley:${password}@127.0.0.1:${clients}`,
      readyLine: /Server is ready/,
      stopSignal: 'SIGTERM',
      killSignal: 'SIGKILL',
      stopTimeoutMs: 10_000,
      env: { NATS_PASSWORD: password, NATS_READER_PASSWORD: password },
      onLog: () => undefined,
    });
    running.set(node, server);
  }

  await Promise.all(nodes.map(start));
  return {
    url: nodes.map((node) => running.get(node)?.url ?? '').join(','),
    readerUrl: `nats://reader:${password}@127.0.0.1:${ports.get('nats-1')?.clients}`,
    nodes,
    start,
    async kill(node) {
      running.get(node)?.kill();
      await running.get(node)?.exited;
    },
    async stop() {
      await Promise.all([...running.values()].map((server) => server.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
