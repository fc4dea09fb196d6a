import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { readPosition } from '../checkpoint.ts';
import { ownLog } from '../event-source.ts';
import { describeError } from '../problem.ts';
import type { Reactor } from './reactor.ts';

/** How far a reactor is in the log that it follows. */
export interface ReactorLag {
  readonly name: string;
  /** Whose log it follows; null when its own service's. */
  readonly follows: string | null;
  /** All up to here is done. */
  readonly position: number;
  /** Where the log ends, as far as is known: a service that does not answer has nothing new. */
  readonly head: number;
  /** The first event that is not done: where it stands. Null when there is none, and when that cannot be found out. */
  readonly next: RecordedEvent | null;
  /** Why the log cannot be read. */
  readonly error: string | null;
}

/** Of a service that says nothing: the others are told without it. */
const patienceMs = 3_000;

/** By what is on record, whichever copy runs it, and whether or not one does. */
export async function readReactorLag(
  { checkpoint, handles, name, source }: Reactor,
  sql: SqlExecutor,
  store: EventStore,
): Promise<ReactorLag> {
  const position = (await readPosition(sql, checkpoint)) ?? 0;
  const known = { name, follows: source?.service ?? null, position };
  const reading = (source ?? ownLog(store)).read({ after: position, limit: 1, types: handles });
  try {
    const page = await Promise.race([reading, sleep(patienceMs, undefined, { ref: false })]);
    if (!page) return { ...known, head: position, next: null, error: 'No answer.' };
    return { ...known, head: page.head, next: page.events[0] ?? null, error: null };
  } catch (error) {
    return { ...known, head: position, next: null, error: describeError(error) };
  }
}
