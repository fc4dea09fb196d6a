import type { Logger } from '@parley/process-kit';
import { type Reactor, timersProcessor, WorkInHand } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';
import type { Closers } from './closers.ts';

type Watched = Pick<Reactor, 'name' | 'checkpoint'>;

const lookEveryMs = 30_000;
/** As long as a lag of which operators are to be told. */
const longMs = 300_000;

const hangs =
  'what goes on in the background does not come to an end: where nothing fails, it hangs until this process is started anew';

/** What hangs neither ends nor fails: here it shows, as a metric and, once, as a line in the log. */
export function watchWork(
  reactors: readonly Watched[],
  { logger, registry }: { readonly logger: Logger; readonly registry: Registry },
  closers: Closers,
): WorkInHand {
  const inHand = new WorkInHand();
  const secondsAt = (processor: string) => {
    const oldest = inHand.oldest(processor);
    return oldest ? (performance.now() - oldest.since) / 1_000 : 0;
  };
  new Gauge({
    name: 'parley_reactor_event_seconds',
    help: 'For how long a reactor has been at the event that it is at the longest, all attempts together; 0 when at none, and of copies that do not run it.',
    labelNames: ['reactor'] as const,
    registers: [registry],
    collect() {
      for (const { name, checkpoint } of reactors) this.set({ reactor: name }, secondsAt(checkpoint));
    },
  });
  const told = new WeakSet<object>();
  const look = () => {
    for (const processor of [...reactors.map(({ checkpoint }) => checkpoint), timersProcessor]) {
      const oldest = inHand.oldest(processor);
      if (!oldest || performance.now() - oldest.since < longMs || told.has(oldest)) continue;
      told.add(oldest);
      logger.warn({ processor, ...oldest.subject, seconds: Math.round(secondsAt(processor)) }, hangs);
    }
  };
  const looking = setInterval(look, lookEveryMs).unref();
  closers.add(() => clearInterval(looking));
  return inHand;
}
