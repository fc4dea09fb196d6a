import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

const main = join(import.meta.dirname, '..', '..', 'tools', 'parley', 'dist', 'main.js');

/** `parley` as an operator runs it beside the shared stack. */
export function parley(...args: string[]): Promise<{ readonly status: number; readonly output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, PARLEY_HOME: inject('stack').home, NO_COLOR: '1' };
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}
