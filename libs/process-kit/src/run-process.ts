import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { readKeysAsWritten } from './foreign-json.ts';
import { giveMemoryBackWhenIdle } from './idle-memory.ts';
import type { Logger } from './logger.ts';

/** What a started process holds; `close` drains it and resolves when nothing is left running. */
export interface RunningProcess {
  close(): Promise<void>;
}

export interface RunProcessOptions {
  readonly logger: Logger;
  /** Starts everything; the process is ready when it resolves. While that takes long, it says that it gets on with it. */
  readonly start: (onProgress: () => void) => Promise<RunningProcess>;
}

/** So long may draining take before the process ends anyway. */
const graceMs = 10_000;
/** So long may a start go on, once the process is told to end. */
const startGraceMs = 1_000;

/**
 * The life of a process. Once started it tells a parent with an IPC channel `{type: 'ready'}`, and before that
 * `{type: 'starting'}` whenever it has got on. SIGTERM, SIGINT and the
 * parent's death (the channel closes) drain it; an error nobody caught is logged, drains it and ends it with status 1.
 */
export async function runProcess({ logger, start }: RunProcessOptions): Promise<void> {
  readKeysAsWritten();
  // A child leaves Ctrl-C, which reaches the whole process group, to its parent: that one stops things in order.
  const isChild = process.send !== undefined;
  if (isChild) process.on('SIGINT', () => undefined);
  const { promise: started, resolve: hasStarted } = Promise.withResolvers<RunningProcess>();
  const lifetime = closeWithGrace(
    {
      delay: graceMs,
      skip: isChild ? ['SIGINT'] : [],
      logger: { error: (reason: unknown) => logger.error({ err: reason }, 'not ended in order') },
    },
    async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'an error nobody caught');
      else logger.info({ signal }, 'stopping');
      // One that is not ready has taken nothing on, and may wait for its servers for ever.
      const running = await Promise.race([started.catch(() => undefined), sleep(startGraceMs)]);
      await running?.close();
    },
  );
  // It may have lost its parent while it was loaded, when nobody listened yet.
  if (isChild && !process.connected) lifetime.close();
  if (isChild) process.once('disconnect', lifetime.close);
  hasStarted(start(() => tellParent('starting')));
  try {
    await started;
  } catch (error) {
    logger.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
  logger.info('ready');
  giveMemoryBackWhenIdle();
  tellParent('ready');
  // For the next start, also where this process is killed; without a cache nothing happens.
  flushCompileCache();
}

function tellParent(type: 'starting' | 'ready'): void {
  if (process.connected) process.send?.({ type });
}
