import { startProcessors, startTimers } from '@parley/processing';
import { knownReactors } from '../operator/known-reactors.ts';
import type { Background, BackgroundParts } from '../service-definition.ts';
import type { Closers } from './closers.ts';
import type { ServiceParts } from './service-parts.ts';
import { watchReactors } from './watch-reactors.ts';

/** Processors and timers. */
export async function startBackground(
  background: Background,
  { onProblem, ownership, pool, registry, store }: BackgroundParts & ServiceParts,
  closers: Closers,
): Promise<void> {
  const { processors = [], timers = {} } = background;
  const inHand = watchReactors(knownReactors(background), registry);
  if (processors.length > 0) {
    const running = await startProcessors({ store, pool, processors, ownership, onProblem, inHand });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem });
    closers.add(() => running.close());
  }
}
