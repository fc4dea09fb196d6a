import { spawn } from 'node:child_process';
import { onLines, type ServerExit } from '@parley/embedded-servers';
import type { Running } from './keeper.ts';

/** How long a service may take to stop, in milliseconds: it drains for at most 10 s, so after this it hangs. */
const drainMs = 12_000;
const defaultReadyTimeoutMs = 60_000;

/**
 * Megabytes of the young generation, the most that V8 would grow to by itself. It starts with less and grows by
 * what survives, which is so little here that garbage is collected twice as often (ADR 36).
 */
const v8Flags = ['--min-semi-space-size=16'];

export interface ServiceProcessOptions {
  readonly entry: string;
  /** The last argument on its command line, by which a later start knows that the process belongs to this home. */
  readonly homeArgument: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onLog: (line: string) => void;
  readonly abort: AbortSignal;
  /** How long it may be silent while it starts, in milliseconds; a minute when absent. */
  readonly readyTimeoutMs?: number;
}

/**
 * Starts a service in a process group of its own, so that Ctrl-C does not reach it. Over the IPC channel it sends
 * `{type: 'ready'}`, and before that `{type: 'starting'}` while a long start goes on (building views or an index
 * over millions of events). It ends when the channel closes, that is, when this process is gone.
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
