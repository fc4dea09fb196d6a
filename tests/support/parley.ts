import { inject } from 'vitest';
import { runParley } from './run-parley.ts';

/** `parley` as an operator runs it beside the shared stack. */
export async function parley(
  ...args: string[]
): Promise<{ readonly status: number; readonly output: string }> {
  const { code: status, stdout, stderr } = await runParley(args, { PARLEY_HOME: inject('stack').home });
  return { status, output: stdout + stderr };
}
