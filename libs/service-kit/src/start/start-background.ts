import { startReactors, startTimers } from '@parley/processing';
import type { Background, BackgroundParts } from '../service-definition.ts';
import type { Closers } from './closers.ts';
import type { ServiceParts } from './service-parts.ts';
import { watchReactors } from './watch-reactors.ts';

/** Reactors and timers. */
export function startBackground(
  background: Background,
  { onProblem, ownership, pool, registry, store }: BackgroundParts & ServiceParts,
  closers: Closers,
): void {
  const { reactors = [], timers = {} } = background;
  const inHand = watchReactors(reactors, registry);
  if (reactors.length > 0) {
    const running = startReactors({ store, pool, reactors, ownership, onProblem, inHand });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem });
    closers.add(() => running.close());
  }
}
