import { EventsInHand, type Reactor } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';

/** A reactor that hangs neither ends nor fails: that it does shows here alone. */
export function watchReactors(reactors: readonly Reactor[], registry: Registry): EventsInHand {
  const inHand = new EventsInHand();
  new Gauge({
    name: 'parley_reactor_event_seconds',
    help: 'For how long a reactor has been at the event that it is at the longest, all attempts together; 0 when at none, and of copies that do not run it.',
    labelNames: ['reactor'] as const,
    registers: [registry],
    collect() {
      for (const { name, checkpoint } of reactors)
        this.set({ reactor: name }, inHand.longestMs(checkpoint) / 1_000);
    },
  });
  return inHand;
}
