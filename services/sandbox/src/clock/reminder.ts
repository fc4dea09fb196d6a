import type { PlatformClock } from './platform-clock.ts';

const intervalMs = 2_000;

/** After a start, services whose database is newer than the clock's last advance are told the time until all have it. */
export function remindUntilHeard(clock: PlatformClock): { stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const remind = async () => {
    const isHeard = await clock.remind();
    if (!isHeard && !isStopped) timer = setTimeout(() => void remind(), intervalMs);
  };
  void remind();
  return {
    stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
