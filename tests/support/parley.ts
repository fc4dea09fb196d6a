import { runParley } from './run-parley.ts';
import { sharedStack } from './shared-stack.ts';

interface ParleyRun {
  readonly status: number;
  readonly stdout: string;
  /** With what it says of its progress, and of what is wrong. */
  readonly output: string;
}

/** `parley` as an operator runs it beside the shared stack. */
export async function parley(...args: string[]): Promise<ParleyRun> {
  const { code: status, stdout, stderr } = await runParley(args, { PARLEY_HOME: sharedStack().home });
  return { status, stdout, output: stdout + stderr };
}

const isTaken = /is being rebuilt or verified already\.|A person was being erased meanwhile/;

/** A command that needs views for itself; waits for other tests that are at them. */
export async function parleyInTurn(...args: string[]): Promise<ParleyRun> {
  for (;;) {
    const run = await parley(...args);
    if (!isTaken.test(run.output)) return run;
  }
}
