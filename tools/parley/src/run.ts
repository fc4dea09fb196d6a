import { ConfigError } from '@parley/process-kit';
import { type Command, CommanderError } from 'commander';
import { CommandFailed, exitCodes } from './exit-codes.ts';

/**
 * Runs one command line; resolves with the status to end with. Only a bug shows a stack trace: what the
 * machine refuses (a full disk, no right to write) is told in a sentence.
 */
export async function run(program: Command, argv: readonly string[]): Promise<number> {
  process.stdout.on('error', onNotWritten);
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

/**
 * Whoever reads the output (`| head`) has had enough: a command that must end in order is asked to, others just end. A file
 * that cannot be written, as on a full disk, is no end for a command that runs until it is stopped, and a failure of others.
 */
function onNotWritten(error: NodeJS.ErrnoException): void {
  const isReaderGone = process.stdout.isTTY || error.code === 'EPIPE' || error.code === 'ECONNRESET';
  const endsInOrder = process.listenerCount('SIGTERM') > 0;
  if (endsInOrder) {
    if (isReaderGone) process.emit('SIGTERM');
    return;
  }
  if (isReaderGone) process.exit(exitCodes.ok);
  process.stderr.write(`The output could not be written: ${error.message}\n`);
  process.exit(exitCodes.negative);
}
