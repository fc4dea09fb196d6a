-- Timers that are due later wake nobody: whoever fires timers looks by itself once a second (libs/processing), and so
-- finds them in time. Most are a second look at something that is done long before.
create or replace function es.apply_effects(p_effects jsonb) returns void language plpgsql as $$
declare
  v_now timestamptz;
  v_soonest timestamptz;
begin
  if p_effects ? 'fires' then
    delete from es.timers t using jsonb_to_recordset(p_effects -> 'fires') f (id text) where t.id = f.id;
  end if;
  if p_effects ? 'cancelTimers' then
    delete from es.timers where id in (select jsonb_array_elements_text(p_effects -> 'cancelTimers'));
  end if;
  if p_effects ? 'timers' then
    v_now := es.now();
    with changed as (
      insert into es.timers (id, kind, due_at, payload, created_at)
      select t.id, t.kind, coalesce(t.at, v_now + t."afterMs" * interval '1 millisecond'), t.payload, v_now
      from jsonb_to_recordset(p_effects -> 'timers')
        t (id text, kind text, at timestamptz, "afterMs" float8, payload jsonb)
      on conflict (id) do update
        set kind = excluded.kind, due_at = excluded.due_at, payload = excluded.payload, created_at = excluded.created_at
      returning due_at
    )
    select min(due_at) into v_soonest from changed;
    if v_soonest < v_now + interval '2 seconds' then
      perform pg_notify('es_timers', '');
    end if;
  end if;
  if p_effects ? 'checkpoints' then
    insert into es.checkpoints (processor, position)
    select c.processor, c."to" from jsonb_to_recordset(p_effects -> 'checkpoints') c (processor text, "to" int8)
    on conflict (processor) do update set position = excluded.position, updated_at = now();
  end if;
end
$$;
