import type { EventStore, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { LogSilent, ownLog } from '../event-source.ts';
import { isOutage } from '../outages/backoff.ts';
import { describeError } from '../problem.ts';
import { reactTo, withEffectId } from './react-to.ts';
import type { Reactor } from './reactor.ts';

/** An event that a reactor gave up. */
export interface DeadLetter {
  readonly id: number;
  /** The reactor's checkpoint. */
  readonly processor: string;
  /** Of the log that the reactor follows. */
  readonly position: number;
  readonly eventId: string;
  /** What is known of the event where it is of the service's own log. */
  readonly event: {
    readonly type: string;
    readonly streamId: string;
    readonly accountId: number | null;
  } | null;
  /** Of the last attempt, with its stack. */
  readonly error: string;
  readonly attempts: number;
  /** ISO 8601 */
  readonly givenUpAt: string;
}

interface Row {
  readonly id: string;
  readonly processor: string;
  readonly position: string;
  readonly event_id: string;
  readonly type: string | null;
  readonly stream_id: string | null;
  readonly account_id: string | null;
  readonly error: string;
  readonly attempts: number;
  readonly created_at: Date;
}

const letters = `select d.id, d.processor, d.position, d.event_id, e.type, e.stream_id, e.account_id, d.error, d.attempts, d.created_at
  from es.dead_letters d left join es.events e on e.event_id = d.event_id`;

/** The oldest of those with greater ids. */
export async function listDeadLetters(
  sql: SqlExecutor,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<DeadLetter[]> {
  const { rows } = await sql.query<Row>({
    text: `${letters} where d.id > $1 order by d.id limit $2`,
    values: [after, limit],
  });
  return rows.map(toLetter);
}

export async function countDeadLetters(sql: SqlExecutor): Promise<number> {
  const { rows } = await sql.query<{ count: string }>({ text: 'select count(*) from es.dead_letters' });
  return Number(rows[0]?.count);
}

/** Which event it is about: for whoever looks into the logs when the letter is gone. */
export type LetterName = Pick<DeadLetter, 'processor' | 'position' | 'eventId'>;

/** The one that was there. Nobody reacts to its event any more. */
export async function discardDeadLetter(sql: SqlExecutor, id: number): Promise<LetterName | undefined> {
  const { rows } = await sql.query<LetterName>({
    text: `delete from es.dead_letters where id = $1 returning processor, position, event_id as "eventId"`,
    values: [id],
  });
  return rows[0];
}

export interface RetryParts {
  readonly reactors: readonly Reactor[];
  readonly sql: SqlExecutor;
  readonly store: EventStore;
  readonly signal: AbortSignal;
}

/** The letter is gone when it is `done`; `null` where there was none. */
export type RetriedLetter = { readonly letter: LetterName } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string }
);

/**
 * Reacts to the event once more, beside the reactor, which may run in another process: what the event caused before is
 * known by the same ids, and the reactor's checkpoint stays where it is. Rejects during outages, and when it is broken off.
 */
export async function retryDeadLetter(
  { reactors, sql, store, signal }: RetryParts,
  id: number,
): Promise<RetriedLetter | null> {
  const { rows } = await sql.query<Row>({ text: `${letters} where d.id = $1`, values: [id] });
  const letter = rows[0] && toLetter(rows[0]);
  if (!letter) return null;
  const { attempts } = letter;
  try {
    const reactor = reactorOf(reactors, letter.processor);
    if (!reactor) throw new Error(`There is no ${letter.processor} in this release.`);
    const event = await readEvent(reactor, letter, store);
    await reactTo(event, reactor, {
      ...{ store, signal },
      attempt: attempts + 1,
      append: (request) => store.append(withEffectId(request, event, reactor.name)),
    });
  } catch (cause) {
    if (isOutage(cause) || signal.aborted) throw cause;
    const error = describeError(cause);
    await sql.query({
      text: 'update es.dead_letters set error = $2, attempts = attempts + 1 where id = $1',
      values: [id, error],
    });
    return { kind: 'failed', letter, error };
  }
  await discardDeadLetter(sql, id);
  return { kind: 'done', letter };
}

export const reactorOf = (reactors: readonly Reactor[], checkpoint: string): Reactor | undefined =>
  reactors.find((each) => each.checkpoint === checkpoint);

/** Whatever the reactor follows by now; rejects with an outage while nobody answers for that log. */
async function readEvent(
  { source }: Reactor,
  { position, eventId }: DeadLetter,
  store: EventStore,
): Promise<RecordedEvent> {
  const log = source ?? ownLog(store);
  const { events, reached } = await log.read({ after: position - 1, limit: 1, positions: [position] });
  if (reached < position) throw new LogSilent('The service that the event is of does not answer.');
  const event = events.find((each) => each.position === position);
  if (event?.eventId !== eventId) throw new Error(`The event at ${position} is another one by now.`);
  return event;
}

const toLetter = (row: Row): DeadLetter => ({
  id: Number(row.id),
  processor: row.processor,
  position: Number(row.position),
  eventId: row.event_id,
  event:
    row.type === null || row.stream_id === null
      ? null
      : {
          type: row.type,
          streamId: row.stream_id,
          accountId: row.account_id === null ? null : Number(row.account_id),
        },
  error: row.error,
  attempts: row.attempts,
  givenUpAt: row.created_at.toISOString(),
});
