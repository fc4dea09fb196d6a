import { startReactors, startTimers } from '@parley/processing';
import type { Background, BackgroundParts } from '../service-definition.ts';
import type { Closers } from './closers.ts';
import type { ServiceParts } from './service-parts.ts';
import { showReactorLags } from './show-reactor-lags.ts';
import { watchReactors } from './watch-reactors.ts';

const held =
  'HOLD_BACKGROUND is set: this copy answers requests and does nothing else; start it without that to go on';

/** Reactors and timers. While they are held, it shows what waits. */
export function startBackground(
  background: Background,
  { config, logger, onProblem, ownership, pool, registry, store }: BackgroundParts & ServiceParts,
  closers: Closers,
): void {
  const { reactors = [], timers = {} } = background;
  const inHand = watchReactors(reactors, registry, logger, closers);
  showReactorLags({ pool, reactors, registry, store });
  if (config.HOLD_BACKGROUND) {
    logger.warn(held);
    return;
  }
  if (reactors.length > 0) {
    const running = startReactors({ store, pool, reactors, ownership, onProblem, inHand });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem });
    closers.add(() => running.close());
  }
}
