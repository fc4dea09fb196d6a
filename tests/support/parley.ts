import { execFile } from 'node:child_process';
import { parleyProgram } from '@parley/testing';
import { inject } from 'vitest';

/** `parley` as an operator runs it beside the shared stack. */
export function parley(...args: string[]): Promise<{ readonly status: number; readonly output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, PARLEY_HOME: inject('stack').home, NO_COLOR: '1' };
    execFile(process.execPath, [parleyProgram, ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}
