import { makeBesideLog, type SqlExecutor } from '@parley/event-store';

/**
 * `limits.take` is `takeRateLimit` of libs/rate-limit as SQL, for several attempts at once. Rows are locked in one order,
 * so that two copies never wait for each other in a circle. The clock is read after the locks: with the transaction's
 * own time, an attempt that waited would be logged before those it waited for and leave its window too early.
 */
const tables = `
create table if not exists limits.logs (
  account_id int8,
  operation text collate "C",
  -- Accepted attempts in microseconds of the platform clock, oldest first.
  attempts int8[] not null default '{}',
  primary key (account_id, operation)
) with (fillfactor = 50);

create or replace function limits.take(p_attempts jsonb)
returns table (is_allowed boolean, now_micros int8, attempts int8[]) language plpgsql as $$
declare
  v_attempt record;
  v_before int8[];
begin
  insert into limits.logs (account_id, operation)
  select distinct a.account_id, a.operation
  from jsonb_to_recordset(p_attempts) a (account_id int8, operation text)
  where (
    -- One by one, here and below: a join would read all logs there are for every call.
    select l.account_id from limits.logs l where l.account_id = a.account_id and l.operation = a.operation
  ) is null
  order by a.account_id, a.operation
  on conflict do nothing;

  perform from (
    select distinct a.account_id, a.operation
    from jsonb_to_recordset(p_attempts) a (account_id int8, operation text)
    order by a.account_id, a.operation
  ) a
  cross join lateral (
    select from limits.logs l where l.account_id = a.account_id and l.operation = a.operation for update
  ) locked;

  now_micros := extract(epoch from es.now() + (clock_timestamp() - now())) * 1000000;

  for v_attempt in
    select a.* from rows from (
      jsonb_to_recordset(p_attempts)
        as (account_id int8, operation text, maxima int8[], windows_micros int8[], consume boolean)
    ) with ordinality a (account_id, operation, maxima, windows_micros, consume, place)
    order by a.place
  loop
    -- Of a future that a clock turned back took away, as if made now: they never outlive a window.
    select l.attempts into v_before
    from limits.logs l where l.account_id = v_attempt.account_id and l.operation = v_attempt.operation;
    select coalesce(array_agg(least(t.at, now_micros) order by t.place), '{}') into attempts
    from unnest(v_before) with ordinality t (at, place)
    where t.at > now_micros - (select max(w) from unnest(v_attempt.windows_micros) w);

    -- A window is full when the attempt that is \`max\` places from the end is still in it.
    select not coalesce(bool_or(
      attempts[cardinality(attempts) - w.max + 1] > now_micros - w.micros
    ), false) into is_allowed
    from unnest(v_attempt.maxima, v_attempt.windows_micros) w (max, micros);

    if is_allowed and v_attempt.consume then
      attempts := attempts || now_micros;
    end if;
    if attempts is distinct from v_before then
      update limits.logs l set attempts = take.attempts
      where l.account_id = v_attempt.account_id and l.operation = v_attempt.operation;
    end if;
    return next;
  end loop;
end
$$;
`;

/** Makes what the limiter needs. Copies that start together take turns. */
export const prepareSlidingLogs = (sql: SqlExecutor): Promise<void> => makeBesideLog(sql, 'limits', tables);
