import { ConfigError } from '@parley/process-kit';
import { type Command, CommanderError } from 'commander';
import { CommandFailed, exitCodes } from './exit-codes.ts';

/**
 * Runs one command line; resolves with the status to end with. Only a bug shows a stack trace: what the
 * machine refuses (a full disk, no right to write) is told in a sentence.
 */
export async function run(program: Command, argv: readonly string[]): Promise<number> {
  process.stdout.on('error', onReaderGone);
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
    if (error instanceof Error && 'syscall' in error) {
      process.stderr.write(`${error.message}\n`);
      return exitCodes.negative;
    }
    throw error;
  }
}

/** Whoever reads the output (`| head`) has had enough: a command that must end in order is asked to, others just end. */
function onReaderGone(): void {
  if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM');
  else process.exit(exitCodes.ok);
}
