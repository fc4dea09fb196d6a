import { serviceNames } from '@parley/contracts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';

/**
 * Asks every service the same. Those that do not answer are named on stderr and left out; when none answers, the command
 * fails with 3.
 */
export async function askAll<T>(
  question: (service: string) => Promise<T>,
): Promise<readonly { readonly service: string; readonly value: T }[]> {
  const answers = await Promise.all(
    serviceNames.map(async (service) => {
      try {
        return { service, value: await question(service) };
      } catch (error) {
        if (!(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error;
        process.stderr.write(`${error.message}\n`);
        return undefined;
      }
    }),
  );
  const present = answers.filter((answer) => answer !== undefined);
  if (present.length === 0) throw new CommandFailed('No service answers.', exitCodes.unreachable);
  return present;
}
