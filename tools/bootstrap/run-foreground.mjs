import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a command on this terminal and resolves with its exit code (128 + n when a signal ended it). Signals are passed on;
 * after Ctrl-C on a terminal the command gets them twice, from the terminal and from here. With `ipc` the command
 * notices when this process is gone.
 */
export function runForeground(command, args, { env, ipc = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: process.cwd(),
      env,
      stdio: ['inherit', 'inherit', 'inherit', ...(ipc ? ['ipc'] : [])],
    });
    const forward = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
