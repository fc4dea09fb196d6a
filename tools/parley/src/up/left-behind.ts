import {
  clearPostgresRemains,
  hasWords,
  type LeftBehind,
  natsOf,
  postgresOf,
  stopLeftBehind,
} from '@parley/embedded-servers';
import type { Home } from './home.ts';

/** Stands on the command line of every service of a home. */
export const homeArgument = (home: string): string => `--parley-home=${home}`;

const servicesOf = (home: string): LeftBehind => ({
  description: 'service',
  isMine: (commandLine) =>
    /\/services\/[a-z]+\/(bundle|dist)\/main\.js /.test(commandLine) &&
    hasWords(commandLine, homeArgument(home)),
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
