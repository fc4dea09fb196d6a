import { execFile } from 'node:child_process';
import { parleyProgram } from '@parley/testing';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One `parley` command to its end, on the stack of a home. */
export function runParley(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [parleyProgram, ...args],
      { env: { ...process.env, NO_COLOR: '1', ...env }, timeout: 240_000 },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
        resolve({ code, stdout, stderr });
      },
    );
  });
}
