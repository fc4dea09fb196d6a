import type { Logger } from '@parley/process-kit';
import type { Observe } from './metrics.ts';

const slowMs = 1000;
const linesPerSecond = 20;

/**
 * Logs what an operator must see: failures on our side and slow requests. A line per request would cost more than the
 * request itself, and a bad minute must not fill the disk: beyond 20 lines a second, only their number is told.
 */
export function createRequestLog(logger: Logger): Observe {
  let second = 0;
  let lines = 0;
  let suppressed = 0;
  return (answered) => {
    if (answered.status < 500 && answered.durationMs < slowMs) return;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      if (suppressed > 0) logger.warn({ suppressed }, 'more requests like these were not logged');
      second = now;
      lines = 0;
      suppressed = 0;
    }
    lines += 1;
    if (lines > linesPerSecond) suppressed += 1;
    else logger.warn({ request: answered }, answered.status < 500 ? 'slow request' : 'failed request');
  };
}
