import type { Logger } from '@parley/process-kit';
import { EventsInHand, type Reactor } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';
import type { Closers } from './closers.ts';

type Watched = Pick<Reactor, 'name' | 'checkpoint'>;

const lookEveryMs = 30_000;
/** As long as the lag of which an operator is to be told. */
const longMs = 300_000;

/** A reactor that hangs neither ends nor fails: that it does shows here alone, in a metric and once in the log. */
export function watchReactors(
  reactors: readonly Watched[],
  registry: Registry,
  logger: Logger,
  closers: Closers,
): EventsInHand {
  const inHand = new EventsInHand();
  new Gauge({
    name: 'parley_reactor_event_seconds',
    help: 'For how long a reactor has been at the event that it is at the longest, all attempts together; 0 when at none, and of copies that do not run it.',
    labelNames: ['reactor'] as const,
    registers: [registry],
    collect() {
      for (const { name, checkpoint } of reactors)
        this.set({ reactor: name }, (inHand.oldest(checkpoint)?.ms ?? 0) / 1_000);
    },
  });
  const told = new Map<string, string>();
  const look = () => {
    for (const { checkpoint } of reactors) {
      const oldest = inHand.oldest(checkpoint);
      if (!oldest || oldest.ms < longMs || told.get(checkpoint) === oldest.eventId) continue;
      const { position, eventId, ms } = oldest;
      told.set(checkpoint, eventId);
      const about = { processor: checkpoint, position, eventId, seconds: Math.round(ms / 1_000) };
      logger.warn(
        about,
        'a reactor does not come to the end of an event: where nothing fails, it hangs until it is started anew',
      );
    }
  };
  const looking = setInterval(look, lookEveryMs).unref();
  closers.add(() => clearInterval(looking));
  return inHand;
}
