import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeDataFolder } from './data-folder.ts';
import { eventually } from './eventually.ts';
import { parleyProgram } from './parley-program.ts';
import { isRunning, listDescendants } from './process-tree.ts';

/** A busy machine starts processes slowly. */
const readyWithinMs = 150_000;

const checkout = join(import.meta.dirname, '..', '..', '..');

const stackFile = z.object({
  supervisor_pid: z.int(),
  base_url: z.string(),
  gateway_urls: z.array(z.string()),
  sandbox_url: z.string(),
  nats_url: z.string(),
  database_url: z.string(),
  processes: z.array(z.object({ name: z.string(), service: z.string(), pid: z.int().nullable() })),
});
const demoFile = z.object({
  accounts: z.array(z.object({ id: z.int(), email: z.string(), api_key: z.string() })),
});

export interface StackOptions {
  /** Data of an earlier start; a fresh one that `stop` removes when absent. */
  readonly home?: string;
  /** For example `{ gateway: 2, assistants: 2 }`. */
  readonly copies?: Readonly<Record<string, number>>;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** With the demo accounts, as users have it. */
  readonly hasDemo?: boolean;
}

interface StackProcess {
  /** Unique: `assistants`, `assistants-2`, `postgres`, `nats`. */
  readonly name: string;
  readonly service: string;
  /** `null` while it is being started again. */
  readonly pid: number | null;
}

/** A whole stack as a user starts it, on free ports. */
export interface RunningStack {
  readonly home: string;
  readonly supervisorPid: number;
  /** The first gateway's. */
  readonly baseUrl: string;
  readonly gatewayUrls: readonly string[];
  readonly sandboxUrl: string;
  readonly natsUrl: string;
  /** The Postgres server's own database; a service's is `/parley_<service>` beside it. */
  readonly databaseUrl: string;
  /** Those of the demo. */
  readonly accounts: readonly { readonly id: number; readonly email: string; readonly apiKey: string }[];
  /** Milliseconds from the start of the process to its `ready` line. */
  readonly readyAfterMs: number;
  /** What runs right now. */
  processes(): readonly StackProcess[];
  /** Throws while that process is being started again. */
  pidOf(name: string): number;
  /** Sends one process a signal, waiting up to a minute for one that is being started again; resolves with its process id. */
  signal(name: string, signal: NodeJS.Signals): Promise<number>;
  /** `kill -9` of the supervisor and everything below it, Postgres and NATS included. The home stays. */
  killTree(): Promise<void>;
  /** SIGTERM, as Ctrl-C, and the end of every process. Harmless when it has ended already. */
  stop(): Promise<void>;
  /** The exit status of the supervisor, `null` when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** What it printed so far. */
  output(): string;
}

/**
 * Starts `parley up` from the built checkout and waits until it is ready; rejects with its output when it ends before.
 * Once more when another test's stack, started in the same moment, was given one of its ports.
 */
export async function startStack(options: StackOptions = {}): Promise<RunningStack> {
  try {
    return await startOnce(options);
  } catch (error) {
    if (!/EADDRINUSE/.test(String(error))) throw error;
    return startOnce(options);
  }
}

async function startOnce(options: StackOptions): Promise<RunningStack> {
  const home = options.home ?? (await createStackHome());
  const startedAt = performance.now();
  const child = spawn(process.execPath, [parleyProgram, 'up'], {
    cwd: checkout,
    env: {
      ...withoutStackSettings(process.env),
      PARLEY_HOME: home,
      PORT: '0',
      SANDBOX_PORT: '0',
      PARLEY_COPIES: Object.entries(options.copies ?? {})
        .map(([service, count]) => `${service}=${count}`)
        .join(','),
      PARLEY_DEMO: String(options.hasDemo === true),
      NO_COLOR: '1',
      ...options.env,
    },
    // With a channel, the stack notices when the test's process is gone, and stops.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = collectOutput(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  await untilReady(child, output);
  const readyAfterMs = performance.now() - startedAt;

  const readStack = () => stackFile.parse(JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')));
  const stack = readStack();
  const demo = await readFile(join(home, 'demo.json'), 'utf8').then(
    (text) => demoFile.parse(JSON.parse(text)),
    () => ({ accounts: [] }),
  );
  const processes = () => readStack().processes;
  const pidOf = (name: string) => {
    const found = processes().find((candidate) => candidate.name === name);
    if (!found?.pid) throw new Error(`${name} is not running.`);
    return found.pid;
  };
  const removeHome = async () => {
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
  };
  return {
    home,
    supervisorPid: stack.supervisor_pid,
    baseUrl: stack.base_url,
    gatewayUrls: stack.gateway_urls,
    sandboxUrl: stack.sandbox_url,
    natsUrl: stack.nats_url,
    databaseUrl: stack.database_url,
    accounts: demo.accounts.map(({ api_key, ...account }) => ({ ...account, apiKey: api_key })),
    readyAfterMs,
    exited,
    processes,
    pidOf,
    async signal(name, signal) {
      return eventually(() => {
        const pid = pidOf(name);
        // One that has just ended by itself is still listed.
        process.kill(pid, signal);
        return pid;
      });
    },
    async killTree() {
      const pids = [stack.supervisor_pid, ...(await listDescendants(stack.supervisor_pid))];
      for (const pid of pids) if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
      await exited;
      await eventually(async () => {
        const remaining = await Promise.all(pids.map(isRunning));
        if (remaining.includes(true)) throw new Error('Not all processes are gone.');
      });
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await removeHome();
    },
    output: () => output.text,
  };
}

/** An empty home that every user may enter; whoever makes it removes it. */
export const createStackHome = (): Promise<string> => makeDataFolder('stack');

/** A stack of the tests must not join one that the surrounding shell points at. */
function withoutStackSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, NATS_URL: _nats, HOST: _host, ...rest } = environment;
  return rest;
}

function collectOutput(child: ChildProcess): { text: string } {
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.text += text;
    });
  }
  return output;
}

function untilReady(child: ChildProcess, output: { text: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`parley up ${reason}:\n${output.text}`));
    const timer = setTimeout(() => {
      // It has failed when nothing of it runs any more: its home may be removed then.
      child.kill('SIGTERM');
    }, readyWithinMs);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(child.killed ? `was not ready after ${readyWithinMs} ms` : `ended with ${code ?? signal}`);
    });
    child.stdout?.on('data', () => {
      if (!/^ready /m.test(output.text)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
