import { serviceNames } from '@parley/contracts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';

export interface Answered<T> {
  readonly service: string;
  readonly value: T;
}

/**
 * Asks every service the same question where an answer without one of them would be wrong: throws `CommandFailed`
 * (3) when one does not answer.
 */
export const askEvery = <T>(question: (service: string) => Promise<T>): Promise<readonly Answered<T>[]> =>
  Promise.all(serviceNames.map(async (service) => ({ service, value: await question(service) })));

/**
 * Asks every service the same question. Services that do not answer are named on stderr and left out; when none
 * answers, the command fails with 3.
 */
export async function askAll<T>(question: (service: string) => Promise<T>): Promise<readonly Answered<T>[]> {
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

/** Ends a command that has shown what there is: with 3 where that lacks what a service that did not answer has. */
export function expectAll(answers: readonly Answered<unknown>[]): void {
  if (answers.length === serviceNames.length) return;
  throw new CommandFailed(
    'Not every service answers: what they have is missing here.',
    exitCodes.unreachable,
  );
}

/** A "no" to what `askAll` looked for; only when all answered does anybody know that. */
export const notFound = (answers: readonly Answered<unknown>[], message: string): CommandFailed =>
  answers.length === serviceNames.length
    ? new CommandFailed(message)
    : new CommandFailed(`Not every service answers. Of those that do: ${message}`, exitCodes.unreachable);
