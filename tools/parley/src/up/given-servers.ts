import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { postgresUrl } from '@parley/process-kit';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Settings } from '../settings.ts';

const patienceMs = 5_000;

/** Tells at once when a server that the environment names cannot be reached, instead of in some service's log. */
export async function checkGivenServers(settings: Settings): Promise<void> {
  const { error } = postgresUrl().optional().safeParse(settings.DATABASE_URL);
  if (error) throw new CommandFailed(`DATABASE_URL: ${error.issues[0]?.message}`, exitCodes.usage);
  const given = [
    // A comma in it belongs to its password.
    { variable: 'DATABASE_URL', urls: settings.DATABASE_URL && [settings.DATABASE_URL], defaultPort: 5432 },
    { variable: 'NATS_URL', urls: settings.NATS_URL?.split(','), defaultPort: 4222 },
  ];
  for (const { variable, urls, defaultPort } of given) {
    if (!urls) continue;
    const addresses = urls.map((url) => addressOf(variable, url.trim(), defaultPort));
    const reached = await Promise.all(addresses.map(isReachable));
    if (reached.includes(true)) continue;
    const places = addresses.map(({ host, port }) => `${host}:${port}`).join(' and ');
    throw new CommandFailed(`${variable} names ${places}, which cannot be reached.`, exitCodes.unreachable);
  }
}

interface Address {
  /** For Postgres also the directory of its Unix socket. */
  readonly host: string;
  readonly port: number;
}

function addressOf(variable: string, url: string, defaultPort: number): Address {
  const parsed = URL.parse(url.includes('://') ? url : `nats://${url}`);
  if (!parsed) throw new CommandFailed(`${variable} is not a URL.`, exitCodes.usage);
  return {
    host: decoded(parsed.hostname) || '127.0.0.1',
    port: Number(parsed.port) || defaultPort,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const endpointOf = ({ host, port }: Address): NetConnectOpts =>
  host.startsWith('/')
    ? { path: join(host, `.s.PGSQL.${port}`) }
    : { host: host.replace(/^\[|\]$/g, ''), port };

const isReachable = (address: Address): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ ...endpointOf(address), timeout: patienceMs });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
