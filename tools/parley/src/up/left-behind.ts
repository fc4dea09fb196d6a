import {
  clearPostgresRemains,
  type LeftBehind,
  natsOf,
  postgresOf,
  stopLeftBehind,
} from '@parley/embedded-servers';
import type { Home } from './home.ts';

/**
 * The last argument on the command line of every service of a home. It is the last because a path may have blanks,
 * so only the end of the line shows where it ends.
 */
export const homeArgument = (home: string): string => `--parley-home=${home}`;

export const servicesOf = (home: string): LeftBehind => ({
  description: 'service',
  isMine: (commandLine) =>
    /\/services\/[a-z]+\/(bundle|dist)\/main\.js /.test(commandLine) &&
    commandLine.endsWith(` ${homeArgument(home)}`),
  signals: ['SIGTERM', 'SIGKILL'],
});

/**
 * After a kill -9: stops the processes that still run for this home, known by its path on their command lines. The
 * caller must hold the lock of the home. Resolves with how many were stopped.
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
