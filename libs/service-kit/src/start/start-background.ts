import { type OnProblem, startProcessors, startTimers } from '@parley/processing';
import type { Background, BackgroundParts } from '../service-definition.ts';
import type { Closers } from './closers.ts';

/** Processors and timers. */
export async function startBackground(
  { processors = [], timers = {} }: Background,
  { onProblem, ownership, pool, store }: BackgroundParts & { onProblem: OnProblem },
  closers: Closers,
): Promise<void> {
  if (processors.length > 0) {
    const running = await startProcessors({ store, pool, processors, ownership, onProblem });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem });
    closers.add(() => running.close());
  }
}
