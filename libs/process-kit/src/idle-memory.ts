import { Session } from 'node:inspector/promises';
import { performance } from 'node:perf_hooks';

const defaultCheckMs = 20_000;
/** Of the time since the last look: timers that fire now and then are less, requests are more. */
const idleUtilization = 0.02;
/** Less is not worth a pause of some ten milliseconds. */
const worthBytes = 16 * 2 ** 20;

/**
 * Gives memory back to the system when the process has had nothing to do for `checkMs` (20,000) and holds 16 MiB more
 * than after the last time: what starting or a burst of work has left behind, which V8 keeps as long as nothing new is
 * allocated. Returns how to stop that; it does not keep the process alive.
 */
export function giveMemoryBackWhenIdle(checkMs: number = defaultCheckMs): () => void {
  let before = performance.eventLoopUtilization();
  let keptBytes = 0;
  const timer = setInterval(async () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleUtilization || heldBytes() < keptBytes + worthBytes) return;
    // Once at a time, also while the collection is still to come.
    keptBytes = Number.POSITIVE_INFINITY;
    // A process that cannot be asked for it keeps its memory, and goes on.
    await collectGarbage().then(
      () => {
        keptBytes = heldBytes();
      },
      () => clearInterval(timer),
    );
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

function heldBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/** As for a low-memory notification: everything that is not used, and its pages go back to the system. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
