import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

const code = `
  import { listenForStop } from ${JSON.stringify(import.meta.resolve('./stop-requests.ts'))};
  listenForStop().stop.addEventListener('abort', () => process.exit(7));
  setInterval(() => undefined, 1_000);
  console.log(process.pid);`;

test('Ctrl-Z suspends nothing: a request to stop is heard after it', async () => {
  // A job of a shell's: the kernel suspends no others from a terminal.
  const job = [process.execPath, '--conditions=source', '--input-type=module', '--eval', code];
  const shell = spawn('bash', ['-c', 'set -m; "$@" & wait $!; exit $?', 'bash', ...job], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(shell, 'exit');
  const [line] = await once(createInterface(shell.stdout), 'line');
  const pid = Number(line);
  onTestFinished(() => {
    if (shell.exitCode !== 7) process.kill(pid, 'SIGKILL');
  });
  process.kill(pid, 'SIGTSTP');
  process.kill(pid, 'SIGTERM');
  expect(await exited).toEqual([7, null]);
});
