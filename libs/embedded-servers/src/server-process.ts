import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A server that runs as a child process in a process group of its own, so that Ctrl-C does not reach it. */
export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** Resolves when the process has ended, however it ended. */
  readonly exited: Promise<void>;
  /** Asks it to stop, then waits until it has ended. */
  stop(): Promise<void>;
}

export interface SpawnServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly readyLine: RegExp;
  readonly stopSignal: NodeJS.Signals;
  readonly onLog: (line: string) => void;
  readonly runAs?: { readonly uid: number; readonly gid: number };
  readonly readyTimeoutMs?: number;
}

/** Resolves once the server has said that it is ready; rejects with its last lines when it ends or stalls before. */
export async function spawnServer(options: SpawnServerOptions): Promise<ServerProcess> {
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.runAs,
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await untilReady(child, options);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.command} has no process id.`);
  return {
    pid,
    url: options.url,
    exited,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill(options.stopSignal);
      await exited;
    },
  };
}

function untilReady(child: ChildProcess, options: SpawnServerOptions): Promise<void> {
  const lastLines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error([`${options.command} ${reason}`, ...lastLines].join('\n')));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail('did not become ready in time.');
    }, options.readyTimeoutMs ?? 60_000);
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? signal}.`);
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        options.onLog(line);
        lastLines.push(line);
        if (lastLines.length > 20) lastLines.shift();
        if (!options.readyLine.test(line)) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}
