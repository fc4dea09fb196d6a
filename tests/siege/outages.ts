import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnPostgres, RunningStack } from '@parley/testing';

/** What goes wrong while the clients go on. */
export interface Outages {
  /** In milliseconds, at least and at most from one to the next. */
  readonly everyMs: readonly [number, number];
  /** Milliseconds without the server, each time it was ended: what nobody can recover in. */
  readonly awayMs?: readonly number[];
  /** Says what it has done. */
  strike(random: () => number): Promise<string>;
}

/** The outside world's stand-in is no process of ours that could die. */
const spared = ['sandbox', 'postgres', 'nats'];
/** A machine that starts processes more slowly than this kills them would show nothing but starts. */
const deadAtOnce = 4;

export const killsOfProcesses = (stack: RunningStack): Outages => ({
  everyMs: [1_000, 3_000],
  async strike(random) {
    const ours = stack.processes().filter(({ name }) => !spared.includes(name));
    const alive = ours.filter(({ pid }) => pid !== null);
    if (ours.length - alive.length >= deadAtOnce) return 'nobody, too many being dead';
    const victim = alive[Math.floor(random() * alive.length)];
    if (!victim?.pid) return 'nobody';
    process.kill(victim.pid, 'SIGKILL');
    return victim.name;
  },
});

export function outagesOfPostgres(postgres: OwnPostgres): Outages {
  const awayMs: number[] = [];
  return {
    everyMs: [5_000, 10_000],
    awayMs,
    async strike(random) {
      if (random() < 0.3) {
        await postgres.killBackend();
        return 'backend';
      }
      const endedAt = performance.now();
      await postgres.crash(random() * 2_000);
      awayMs.push(performance.now() - endedAt);
      return 'server';
    },
  };
}

export const killsOfNats = (stack: RunningStack): Outages => ({
  everyMs: [5_000, 10_000],
  async strike() {
    await stack.signal('nats', 'SIGKILL');
    return 'nats';
  },
});

/** Strikes until it is over; resolves with what was struck how often. */
export async function keepStriking(
  { everyMs: [least, most], strike }: Outages,
  random: () => number,
  isOver: () => boolean,
): Promise<ReadonlyMap<string, number>> {
  const struck = new Map<string, number>();
  while (!isOver()) {
    const pauseEndsAt = performance.now() + least + random() * (most - least);
    while (performance.now() < pauseEndsAt && !isOver()) await sleep(50);
    if (isOver()) break;
    // Whoever is dead already, or still coming up, cannot be struck.
    const what = await strike(random).catch(() => 'in vain');
    struck.set(what, (struck.get(what) ?? 0) + 1);
  }
  return struck;
}
