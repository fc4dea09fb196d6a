import { type ChildProcess, spawn } from 'node:child_process';
import { onLines } from './lines.ts';

/** How a process ended: its exit status, or the signal that ended it. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A server that runs as a child process in a process group of its own, so that Ctrl-C does not reach it. It is killed when
 * this process exits, unless a signal ends that at once.
 */
export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** Resolves when the process has ended, however it ended. */
  readonly exited: Promise<ServerExit>;
  /** Asks it to stop, then waits until it has ended. */
  stop(): Promise<void>;
  /** Ends it without delay; what it had made durable stays. */
  kill(): void;
}

export interface SpawnServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly readyLine: RegExp;
  /** What it says while it gets on with becoming ready: its time for that begins anew. */
  readonly progressLine?: RegExp;
  readonly stopSignal: NodeJS.Signals;
  readonly killSignal: NodeJS.Signals;
  readonly onLog: (line: string) => void;
  readonly runAs?: { readonly uid: number; readonly gid: number };
  /** Beside what this process has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly readyTimeoutMs?: number;
  /** One that was asked to stop is killed after this; waited for without an end when absent. */
  readonly stopTimeoutMs?: number;
  /** Stops it while it is still starting. */
  readonly abort?: AbortSignal;
}

/** The server ended or stalled before it was ready: whoever started it says which. `lastLines` is what it said. */
class ServerNotStarted extends Error {
  override readonly name = 'ServerNotStarted';
  readonly lastLines: readonly string[];

  constructor(reason: string, lastLines: readonly string[]) {
    super([reason, ...lastLines].join('\n'));
    this.lastLines = lastLines;
  }
}

/** Whether a server could not be started because another program has its port. */
export const isAddressInUse = (error: unknown): boolean =>
  error instanceof ServerNotStarted && error.lastLines.some((line) => /address already in use/i.test(line));

/** Resolves once the server has said that it is ready; rejects with `ServerNotStarted` when it ends or stalls before. */
export async function spawnServer(options: SpawnServerOptions): Promise<ServerProcess> {
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // biome-ignore lint/style/noProcessEnv: a server runs in the environment it was started from.
    env: { ...options.env, ...process.env },
    ...options.runAs,
  });
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
  };
  // In a process group of its own it would outlive whatever ends without stopping it.
  const kill = () => signal(options.killSignal);
  process.once('exit', kill);
  void exited.then(() => process.off('exit', kill));
  await untilReady(child, options);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.command} has no process id.`);
  return {
    pid,
    url: options.url,
    exited,
    async stop() {
      signal(options.stopSignal);
      const { stopTimeoutMs } = options;
      const timer = stopTimeoutMs === undefined ? undefined : setTimeout(kill, stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
    kill,
  };
}

function untilReady(child: ChildProcess, options: SpawnServerOptions): Promise<void> {
  const lastLines: string[] = [];
  let isReady = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail('did not become ready in time');
    }, options.readyTimeoutMs ?? 60_000);
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new ServerNotStarted(reason, lastLines));
    };
    const stop = () => void child.kill(options.stopSignal);
    options.abort?.addEventListener('abort', stop, { once: true });
    if (options.abort?.aborted) stop();
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => fail(`ended with ${code ?? signal} before it was ready`));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      onLines(stream, (line) => {
        options.onLog(line);
        if (isReady) return;
        lastLines.push(line);
        if (lastLines.length > 20) lastLines.shift();
        if (options.progressLine?.test(line)) timer.refresh();
        if (!options.readyLine.test(line)) return;
        isReady = true;
        clearTimeout(timer);
        options.abort?.removeEventListener('abort', stop);
        resolve();
      });
    }
  });
}
