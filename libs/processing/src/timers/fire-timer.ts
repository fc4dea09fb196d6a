import { Contended, type EventStore, LostRaces, lookUpTime, type SqlExecutor } from '@parley/event-store';
import { findDueTimer } from './due-timers.ts';
import { type DueTimer, metadataOfTimer, type TimerHandler } from './timer.ts';

/** Where timers are. */
export interface TimerPlace {
  readonly store: EventStore;
  readonly sql: SqlExecutor;
}

/** How long a timer goes on that loses races for its stream; those of its round wait for it. */
const racingMs = 500;

/**
 * Fires a timer in the transaction of the append that its handler returns: once, whoever else does so at the same time.
 * Resolves when it has fired, or was cancelled or moved meanwhile.
 */
export async function fireTimer(
  timer: DueTimer,
  handler: TimerHandler,
  { store, sql }: TimerPlace,
): Promise<void> {
  const context = { store, metadata: metadataOfTimer(timer) };
  const races = new LostRaces(racingMs);
  for (;;) {
    const request = await handler(timer, context);
    if (!request) return deleteTimer(timer, sql);
    const { id, dueAt } = timer;
    const { afterwards, otherwise, ...append } = request;
    const result = await store.append({ ...append, firesTimer: { id, dueAt } }).catch((error: unknown) => {
      otherwise?.();
      throw error;
    });
    if (result.kind === 'appended') return afterwards?.();
    otherwise?.();
    // Another process fired it, or it was cancelled or moved meanwhile.
    if (result.kind === 'timer-gone') return;
    // Its command id is known: this has happened before.
    if (result.kind === 'repeated') return deleteTimer(timer, sql);
    const refused = `The append of timer ${id} was refused: ${JSON.stringify(result)}`;
    if (result.kind !== 'conflict') throw new Error(refused);
    if (!(await races.mayRetry())) throw new Contended(refused);
  }
}

/**
 * Fires a timer that is due by `by` and that nobody got to yet, for whoever changes what it is about, and again for as
 * long as its handler sets it to what is due as well; races are lost for as long as by any command. Rejects as its
 * handler does; the timer stays then.
 */
export async function fireIfDue(
  { id, by }: { readonly id: string; readonly by: Date },
  handler: TimerHandler,
  place: TimerPlace,
): Promise<void> {
  const races = new LostRaces();
  for (;;) {
    const timer = await findDueTimer(place.sql, id, by);
    if (!timer) return;
    try {
      await fireTimer(timer, handler, place);
    } catch (error) {
      if (!(error instanceof Contended && (await races.mayRetry()))) throw error;
    }
  }
}

async function deleteTimer({ id, dueAt }: DueTimer, sql: SqlExecutor): Promise<void> {
  const query = {
    name: 'processing-delete-timer',
    text: 'delete from es.timers where id = $1 and due_at = $2',
    values: [id, dueAt],
  };
  await sql.query({ ...query, ...lookUpTime });
}
