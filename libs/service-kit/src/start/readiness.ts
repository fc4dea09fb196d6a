import { inTime } from './in-time.ts';

/** What a service needs to do its work: each rejects while it is away. */
export type Needs = Readonly<Record<string, () => Promise<unknown>>>;

/** What `/health/ready` tells; the gateway's has the same form. */
export interface Readiness {
  readonly status: 'ready' | 'starting' | 'draining' | 'unavailable';
  readonly checks: Readonly<Record<string, 'reachable' | 'unreachable'>>;
}

/** Less than those wait who ask: what gives no answer is away, too. */
const patienceMs = 2_000;

/** Of a process that has started when it has `needs`. */
export async function readinessOf(needs: Needs | undefined, closing: AbortSignal): Promise<Readiness> {
  if (closing.aborted) return { status: 'draining', checks: {} };
  if (!needs) return { status: 'starting', checks: {} };
  const checked = await Promise.all(
    Object.entries(needs).map(async ([name, check]) => {
      const isThere = await inTime(
        check().then(() => true),
        patienceMs,
      );
      return [name, isThere ? 'reachable' : 'unreachable'] as const;
    }),
  );
  const isReady = checked.every(([, state]) => state === 'reachable');
  return { status: isReady ? 'ready' : 'unavailable', checks: Object.fromEntries(checked) };
}
