import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerExit } from '@parley/embedded-servers';
import { backoffMs, stableAfterMs } from './backoff.ts';

/** A process that is up. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Lets it finish what it does; resolves when it has ended. */
  stop(): Promise<void>;
  kill(): void;
}

export interface KeeperOptions {
  readonly name: string;
  /** Resolves when the process is ready. An abort ends what it has started and rejects. */
  readonly start: (abort: AbortSignal) => Promise<Running>;
  /** How many failed starts in a row make it give up, before the process was ever ready. */
  readonly firstTries: number;
  readonly onUp: (pid: number) => void;
  /** Called when the process ended by itself or could not be started; the next try is in `delayMs`. */
  readonly onDown: (reason: string, delayMs: number) => void;
}

/** Keeps one process running: starts it again whenever it ends, later and later while it keeps failing. */
export interface Keeper {
  readonly name: string;
  /** Resolves when it is up for the first time; rejects when that is not to be. */
  readonly ready: Promise<void>;
  pid(): number | undefined;
  stop(): Promise<void>;
  kill(): void;
}

export function keepRunning({ name, start, firstTries, onUp, onDown }: KeeperOptions): Keeper {
  const abort = new AbortController();
  let running: Running | undefined;
  let markReady = () => {};

  async function run(): Promise<void> {
    let failures = 0;
    let wasReady = false;
    while (!abort.signal.aborted) {
      let reason: string;
      try {
        running = await start(abort.signal);
        if (abort.signal.aborted) {
          await running.stop();
          return;
        }
        wasReady = true;
        const upSince = performance.now();
        onUp(running.pid);
        markReady();
        reason = describeExit(await running.exited);
        failures = performance.now() - upSince < stableAfterMs ? failures + 1 : 1;
      } catch (error) {
        failures += 1;
        if (abort.signal.aborted || (!wasReady && failures >= firstTries)) throw error;
        // What it said before stands in its log; the first line says what happened.
        [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
      } finally {
        running = undefined;
      }
      if (abort.signal.aborted) return;
      const delayMs = backoffMs(failures);
      onDown(reason, delayMs);
      await sleep(delayMs, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  }

  const ended = Promise.withResolvers<void>();
  const ready = new Promise<void>((resolve, reject) => {
    markReady = resolve;
    run()
      .catch(reject)
      .finally(() => ended.resolve());
  });
  ready.catch(() => undefined);

  return {
    name,
    ready,
    pid: () => running?.pid,
    async stop() {
      abort.abort(new Error('The stack is being stopped.'));
      await running?.stop();
      await ended.promise;
    },
    kill() {
      abort.abort(new Error('The stack is being stopped.'));
      running?.kill();
    },
  };
}

const describeExit = ({ code, signal }: ServerExit): string =>
  signal ? `was ended by ${signal}` : `ended with status ${code}`;
