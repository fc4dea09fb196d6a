import { type SqlExecutor, sessionSilenceMs } from '@parley/event-store';
import type { DueTimer } from './timer.ts';

export interface TakeOptions {
  readonly kinds: readonly string[];
  /** Timers that failed a moment ago and wait for their next attempt. */
  readonly except: readonly string[];
  readonly limit: number;
}

const columns = `id, kind, payload, to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "dueAt"`;

/** By a hash: thousands may have failed, as while a service is away, and each would be compared with each. */
const isNotExcepted = 'id not in (select unnest($2::text[]))';

const lockOf = (id: string): string => `hashtextextended('timer:' || ${id}, 0)`;

const due = `
  select id, kind, due_at, payload from es.timers
  where due_at <= es.now() and kind = any($1) and ${isNotExcepted}`;

/**
 * Due timers that no other process is firing, taken until the transaction ends. What takes one is an advisory lock and not
 * one on the row, since the row is deleted by the append, on another connection; it only keeps processes off each
 * other's work, while the append makes sure that a timer fires once. `es.now()` keeps to the index. The oldest come first;
 * where more of them are late than a few rounds take, as when one account has set thousands for the same moment, a fifth
 * of each round are those that came due last, so that nobody else waits for them.
 */
export async function takeDueTimers(sql: SqlExecutor, options: TakeOptions): Promise<readonly DueTimer[]> {
  const { kinds, except, limit } = options;
  const { rows } = await sql.query<DueTimer & Record<string, unknown>>({
    name: 'processing-take-timers',
    text: `with oldest as materialized (${due} order by due_at, id limit $3::int4 * 4),
           newest as materialized (${due} order by due_at desc, id desc limit $3::int4 / 5),
           due as (select * from newest where id not in (select id from oldest) union all select * from oldest)
           select ${columns} from due where pg_try_advisory_xact_lock(${lockOf('id')}) limit $3`,
    values: [kinds, except, limit],
  });
  return rows;
}

/** Keeps timers that are taken beyond the end of the transaction, until `letGo` or the end of the session. */
export async function keepTaken(sql: SqlExecutor, ids: readonly string[]): Promise<void> {
  await sql.query({
    // A process that stands still is silent, and loses its session.
    text: `select set_config('idle_session_timeout', '${sessionSilenceMs}', false),
             (select count(pg_advisory_lock(${lockOf('id')})) from unnest($1::text[]) id)`,
    values: [ids],
  });
}

/** Lets go of timers that were kept; `areAll` when no others are. */
export async function letGo(sql: SqlExecutor, ids: readonly string[], areAll: boolean): Promise<void> {
  await sql.query({
    text: `select set_config('idle_session_timeout', '${areAll ? 0 : sessionSilenceMs}', false),
             (select count(pg_advisory_unlock(${lockOf('id')})) from unnest($1::text[]) id)`,
    values: [ids],
  });
}

/** A timer that is due by `by`, taken or not. */
export async function findDueTimer(sql: SqlExecutor, id: string, by: Date): Promise<DueTimer | undefined> {
  const { rows } = await sql.query<DueTimer & Record<string, unknown>>({
    name: 'processing-due-timer',
    text: `select ${columns} from es.timers where id = $1 and due_at <= $2`,
    values: [id, by],
  });
  return rows[0];
}

export interface TimersAhead {
  readonly isDue: boolean;
  /** Milliseconds until the next timer that is not due yet; null when none is set. */
  readonly nextInMs: number | null;
}

/** What there is to do, and when there will be more. Within a transaction, as of its beginning. */
export async function findTimersAhead(
  sql: SqlExecutor,
  { kinds, except }: Omit<TakeOptions, 'limit'>,
): Promise<TimersAhead> {
  const { rows } = await sql.query<TimersAhead & Record<string, unknown>>({
    name: 'processing-timers-ahead',
    text: `select exists (
               select from es.timers where due_at <= es.now() and kind = any($1) and ${isNotExcepted}
             ) as "isDue",
             (extract(epoch from min(due_at) - es.now()) * 1000)::float8 as "nextInMs"
           from es.timers where due_at > es.now() and kind = any($1) and ${isNotExcepted}`,
    values: [kinds, except],
  });
  return rows[0] ?? { isDue: false, nextInMs: null };
}

/** For how long the timer of these kinds has been due, on the platform clock, that has been so the longest; 0 without any. */
export async function lateBySeconds(sql: SqlExecutor, kinds: readonly string[]): Promise<number> {
  const { rows } = await sql.query<{ late: number }>({
    text: `select coalesce(extract(epoch from es.now() - min(due_at)), 0)::float8 as late
           from es.timers where due_at <= es.now() and kind = any($1)`,
    values: [kinds],
  });
  return rows[0]?.late ?? 0;
}
