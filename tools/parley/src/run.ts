import { ConfigError } from '@parley/process-kit';
import { type Command, CommanderError } from 'commander';
import { CommandFailed, exitCodes } from './exit-codes.ts';

/** Runs one command line; resolves with the status to end with. Only a bug shows a stack trace. */
export async function run(program: Command, argv: readonly string[]): Promise<number> {
  // Whoever reads the output (`| head`) may have had enough.
  process.stdout.once('error', () => process.exit(exitCodes.ok));
  try {
    await program.parseAsync(argv);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      return exitCodes.usage;
    }
    if (error instanceof CommandFailed) {
      process.stderr.write(`${error.message}\n`);
      return error.exitCode;
    }
    throw error;
  }
}
