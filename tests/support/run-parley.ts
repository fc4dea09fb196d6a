import { execFile } from 'node:child_process';
import { parleyProgram } from '@parley/testing';

export interface Ended {
  /** The exit status; -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One `parley` command to its end, on the stack of a home. */
export function runParley(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const options = {
    env: { ...process.env, NO_COLOR: '1', ...env },
    timeout: 240_000,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [parleyProgram, ...args], options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ code, stdout, stderr });
    });
    // Whoever refuses a file may end before all of it was read.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
