import { spawn } from 'node:child_process';
import { onLines, type ServerExit } from '@parley/embedded-servers';
import type { Running } from './keeper.ts';

/** A service drains for at most 10 s; a little more, and it hangs. */
const drainMs = 12_000;
const defaultReadyTimeoutMs = 60_000;

/**
 * Megabytes, the most that V8 takes by itself. It starts with less and grows by what survives, which for a bundle is so
 * little that requests are collected twice as often (ADR 36).
 */
const v8Flags = ['--min-semi-space-size=16'];

export interface ServiceProcessOptions {
  readonly entry: string;
  /** At the end of its command line: how a later start knows that a process belongs to this home. */
  readonly homeArgument: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onLog: (line: string) => void;
  readonly abort: AbortSignal;
  /** So long it may say nothing of its start; a minute when absent. */
  readonly readyTimeoutMs?: number;
}

/**
 * Starts a service in a process group of its own (so that Ctrl-C does not reach it) with an IPC channel: it says
 * `{type: 'ready'}` there, `{type: 'starting'}` while it gets on with a start that takes long (views, or an index, may have to be made
 * of millions of events), and ends when the channel closes, that is, when this process is gone.
 */
export async function startService(options: ServiceProcessOptions): Promise<Running> {
  const child = spawn(process.execPath, [...v8Flags, options.entry, options.homeArgument], {
    detached: true,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) onLines(stream, options.onLog);
  }
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  const kill = () => void child.kill('SIGKILL');

  const timer = setTimeout(kill, options.readyTimeoutMs ?? defaultReadyTimeoutMs);
  options.abort.addEventListener('abort', kill, { once: true });
  if (options.abort.aborted) kill();
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message) => {
        if (isMessage(message, 'ready')) resolve();
        if (isMessage(message, 'starting')) timer.refresh();
      });
      child.once('error', (error) => reject(new Error(`could not be started: ${error.message}`)));
      child.once('close', (code, signal) =>
        reject(new Error(`ended with ${code ?? signal} before it was ready`)),
      );
    });
  } finally {
    clearTimeout(timer);
    options.abort.removeEventListener('abort', kill);
  }

  return {
    pid: child.pid ?? 0,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(kill, drainMs);
      await exited;
      clearTimeout(timer);
    },
    kill,
  };
}

const isMessage = (message: unknown, type: 'ready' | 'starting'): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === type;
