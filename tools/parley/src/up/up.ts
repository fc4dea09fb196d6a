import { setTimeout as sleep } from 'node:timers/promises';
import { giveMemoryBackWhenIdle } from '@parley/process-kit';
import type { Demo } from '../demo-file.ts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Severity } from '../logs/log-line.ts';
import { createTerminal, type Terminal } from '../logs/terminal.ts';
import { neverWaitFor } from '../output/never-wait.ts';
import type { Settings } from '../settings.ts';
import { ensureDemo } from './ensure-demo.ts';
import { checkGivenServers } from './given-servers.ts';
import { findHome, type Home, openHome } from './home.ts';
import { lockHome } from './home-lock.ts';
import { cleanUpAfterKill } from './left-behind.ts';
import { planInstances } from './ports.ts';
import { readyLine } from './ready-line.ts';
import { createStack, type Stack } from './stack.ts';
import { runStartUp } from './start-up.ts';
import { listenForStop, type StopRequests } from './stop-requests.ts';

export interface UpOptions {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  /** The least severe lines of the processes that the terminal shows; the log files have them all. */
  readonly leastSeverity: Severity;
}

const alwaysWithSandbox =
  'SANDBOX: This starts a stack with the stand-in for the outside world, always. docs/production.md says how to run one without.';

const forcedEndMs = 3_000;
/** For the last words, where the terminal takes none. */
const lastWordsMs = 1_000;

/** Runs a whole stack until it is told to stop. Throws `CommandFailed` when it cannot come up. */
export async function up(options: UpOptions): Promise<void> {
  if (/^(false|0|no|off)$/i.test(options.environment.SANDBOX ?? ''))
    throw new CommandFailed(alwaysWithSandbox, exitCodes.usage);
  const home = options.settings.PARLEY_HOME;
  const { dir, lockFile } = await usable(home, findHome(home));
  const lock = await usable(home, lockHome(lockFile));
  if (lock.kind === 'held') {
    throw new CommandFailed(
      `A stack is already running in ${dir} (process ${lock.pid}). Set PARLEY_HOME to run another one.`,
    );
  }
  const requests = listenForStop();
  for (const stream of [process.stdout, process.stderr]) neverWaitFor(stream);
  try {
    await runLocked(await usable(home, openHome(dir)), options, requests);
  } finally {
    requests.dispose();
    // One that stays, on a disk that can only be read any more, names a process that is gone.
    await lock.release().catch(() => undefined);
    setTimeout(() => process.exit(), lastWordsMs).unref();
  }
}

/** What the file system says of a home (no right to write, a full disk, a file of that name) is an expected end. */
const usable = <T>(home: string, opening: Promise<T>): Promise<T> =>
  opening.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause;
    throw new CommandFailed(
      `The home ${home} cannot be used: ${cause.message}. Put that right, or set PARLEY_HOME to another folder.`,
      exitCodes.negative,
      { cause },
    );
  });

async function runLocked(home: Home, options: UpOptions, requests: StopRequests): Promise<void> {
  const { settings, environment, leastSeverity } = options;
  await usable(home.dir, cleanUpAfterKill(home));
  const instances = await planInstances(settings);
  await checkGivenServers(settings);
  const nameWidth = Math.max('postgres'.length, ...instances.map(({ name }) => name.length));
  const terminal = createTerminal({ stream: process.stdout, leastSeverity, nameWidth });
  const stack = createStack({ settings, home, instances, terminal, environment });
  const killAll = () => stack.kill();
  process.once('exit', killAll);

  const isStopping = untilAborted(requests.stop);
  let demo: Demo | undefined;
  const makeDemo = async () => {
    await stack.announce();
    const ensured = await ensureDemo({ home: home.dir, environment, ...stack });
    demo = ensured.demo;
    if (ensured.fault) terminal.say(`The demo is not complete: ${ensured.fault}`);
  };
  terminal.hold();
  const stages = [
    [
      ...(settings.DATABASE_URL ? [] : [{ title: 'Postgres', run: stack.startPostgres }]),
      ...(settings.NATS_URL ? [] : [{ title: 'NATS', run: stack.startNats }]),
    ],
    instances.map((instance) => ({ title: instance.name, run: () => stack.startInstance(instance) })),
    settings.PARLEY_DEMO ? [{ title: 'demo accounts', run: makeDemo }] : [],
  ];
  const startUp = runStartUp(stages, requests.stop);
  try {
    await Promise.race([startUp.catch(reportFailure), isStopping]);
    if (!requests.stop.aborted) {
      await usable(home.dir, stack.announce());
      giveMemoryBackWhenIdle();
      terminal.release();
      const [first] = demo?.accounts ?? [];
      terminal.say(
        readyLine(
          {
            baseUrl: stack.baseUrl,
            consoleUrl: `${stack.baseUrl}/docs`,
            ...(first ? { apiKey: first.api_key } : {}),
          },
          process.stdout,
        ),
      );
      await isStopping;
    }
    terminal.say('Stopping …');
  } finally {
    terminal.release();
    await stopInOrder(stack, terminal, requests.force);
    await startUp.catch(() => undefined);
    process.off('exit', killAll);
  }
}

/** What is missing on this machine is an expected end, whoever found out. */
function reportFailure(error: unknown): never {
  if (error instanceof CommandFailed) throw error;
  throw new CommandFailed(error instanceof Error ? error.message : String(error), exitCodes.negative, {
    cause: error,
  });
}

async function stopInOrder(stack: Stack, terminal: Terminal, force: AbortSignal): Promise<void> {
  const stopped = stack.stop();
  await Promise.race([stopped, untilAborted(force)]);
  if (!force.aborted) return;
  terminal.say('Ending everything now.');
  stack.kill();
  await Promise.race([stopped, sleep(forcedEndMs, undefined, { ref: false })]);
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
