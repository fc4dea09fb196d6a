import {
  clearPostgresRemains,
  type LeftBehind,
  natsOf,
  postgresOf,
  stopLeftBehind,
} from '@parley/embedded-servers';
import type { Home } from './home.ts';

/** The last argument of every service of a home: a path may have blanks, so only the end of the line tells where it ends. */
export const homeArgument = (home: string): string => `--parley-home=${home}`;

export const servicesOf = (home: string): LeftBehind => ({
  description: 'service',
  isMine: (commandLine) =>
    /\/services\/[a-z]+\/(bundle|dist)\/main\.js /.test(commandLine) &&
    commandLine.endsWith(` ${homeArgument(home)}`),
  signals: ['SIGTERM', 'SIGKILL'],
});

/**
 * After a kill -9: stops what still runs for this home, known by the home on its command line. To be called by the holder
 * of the home's lock. Resolves with how many processes there were.
 */
export async function cleanUpAfterKill(home: Home): Promise<number> {
  const services = await stopLeftBehind(servicesOf(home.dir));
  const servers = await Promise.all([
    stopLeftBehind(natsOf(home.natsDir)),
    stopLeftBehind(postgresOf(home.postgresDir), 10_000),
  ]);
  await clearPostgresRemains(home.postgresDir);
  return services + servers.reduce((sum, count) => sum + count, 0);
}
