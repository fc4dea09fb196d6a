import { forLookUps } from '@parley/event-store';
import { startReactors, startTimers } from '@parley/processing';
import type { Background, BackgroundParts } from '../service-definition.ts';
import type { Closers } from './closers.ts';
import type { ServiceParts } from './service-parts.ts';
import { showLateTimers } from './show-late-timers.ts';
import { showReactorLags } from './show-reactor-lags.ts';
import { watchWork } from './watch-work.ts';

const held =
  'HOLD_BACKGROUND is set: this copy answers requests and does nothing else; start it without that to go on';

/** Reactors and timers. While they are held, it shows what waits. */
export function startBackground(
  background: Background,
  { config, logger, onProblem, ownership, pool, registry, store }: BackgroundParts & ServiceParts,
  closers: Closers,
): void {
  const { reactors = [], timers = {} } = background;
  const inHand = watchWork(reactors, { logger, registry }, closers);
  showReactorLags({ pool, reactors, registry, store });
  showLateTimers(Object.keys(timers), forLookUps(pool), registry);
  if (config.HOLD_BACKGROUND) {
    logger.warn(held);
    return;
  }
  if (reactors.length > 0) {
    const running = startReactors({ store, pool, reactors, ownership, onProblem, inHand });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem, inHand });
    closers.add(() => running.close());
  }
}
