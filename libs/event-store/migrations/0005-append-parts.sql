-- Why appends of a batch must be refused: {"<number of the append>": {"kind": …}}, or null when none must.
-- A repeated command comes before everything else: its answer stands whatever happened since.
create function es.find_refusals(
  p_versions int4[],
  p_expected int4[],
  p_command_ids uuid[],
  p_fingerprints text[],
  p_replies text[],
  p_claim_appends int4[],
  p_claim_is_take boolean[],
  p_claim_scopes text[],
  p_claim_keys text[],
  p_claim_owners text[],
  p_effects jsonb
) returns json language sql stable as $$
  with refusal (append, rank, why) as (
    select a.i, 1, json_build_object(
      'kind', 'repeated', 'fingerprint', c.fingerprint, 'reply', c.reply, 'version', c.version,
      'position', c.position, 'ageMs', round(extract(epoch from es.now() - c.created_at) * 1000)
    )
    from unnest(p_command_ids, p_fingerprints, p_replies) with ordinality a (command_id, fingerprint, reply, i)
    join es.commands c on c.command_id = a.command_id
    where c.reply is not null or a.reply is null or c.fingerprint <> a.fingerprint

    union all
    select p.append, 2, json_build_object('kind', 'checkpoint-moved', 'actual', coalesce(c.position, 0))
    from jsonb_to_recordset(p_effects -> 'checkpoints') p (append int8, processor text, "from" int8)
    left join es.checkpoints c on c.processor = p.processor
    where coalesce(c.position, 0) <> p."from"

    union all
    select p.append, 3, json_build_object('kind', 'timer-gone')
    from jsonb_to_recordset(p_effects -> 'fires') p (append int8, id text, "dueAt" timestamptz)
    where not exists (select from es.timers t where t.id = p.id and t.due_at = p."dueAt")

    union all
    select a.i, 4, json_build_object('kind', 'conflict', 'actualVersion', a.version)
    from unnest(p_versions, p_expected) with ordinality a (version, expected, i)
    where a.expected <> a.version

    union all
    select p.append, 5, json_build_object('kind', 'claim-taken', 'scope', c.scope, 'key', c.key, 'owner', c.owner)
    from unnest(p_claim_appends, p_claim_is_take, p_claim_scopes, p_claim_keys, p_claim_owners)
      p (append, is_take, scope, key, owner)
    join es.claims c on c.scope = p.scope and c.key = p.key
    where p.is_take and c.owner <> p.owner and not exists (
      select from unnest(p_claim_appends, p_claim_is_take, p_claim_scopes, p_claim_keys, p_claim_owners)
        r (append, is_take, scope, key, owner)
      where not r.is_take and r.append = p.append and r.scope = c.scope and r.key = c.key and r.owner = c.owner
    )
  )
  select json_object_agg(first.append, first.why)
  from (select distinct on (append) append, why from refusal order by append, rank) first
$$;

-- {"fires": [{append, id, dueAt}], "cancelTimers": [id], "timers": [{id, kind, at, afterMs, payload}],
--  "checkpoints": [{append, processor, from, to}]}
create function es.apply_effects(p_effects jsonb) returns void language plpgsql as $$
begin
  if p_effects ? 'fires' then
    delete from es.timers t using jsonb_to_recordset(p_effects -> 'fires') f (id text) where t.id = f.id;
  end if;
  if p_effects ? 'cancelTimers' then
    delete from es.timers where id in (select jsonb_array_elements_text(p_effects -> 'cancelTimers'));
  end if;
  if p_effects ? 'timers' then
    insert into es.timers (id, kind, due_at, payload, created_at)
    select t.id, t.kind, coalesce(t.at, es.now() + t."afterMs" * interval '1 millisecond'), t.payload, es.now()
    from jsonb_to_recordset(p_effects -> 'timers')
      t (id text, kind text, at timestamptz, "afterMs" float8, payload jsonb)
    on conflict (id) do update
      set kind = excluded.kind, due_at = excluded.due_at, payload = excluded.payload, created_at = excluded.created_at;
    perform pg_notify('es_timers', '');
  end if;
  if p_effects ? 'checkpoints' then
    insert into es.checkpoints (processor, position)
    select c.processor, c."to" from jsonb_to_recordset(p_effects -> 'checkpoints') c (processor text, "to" int8)
    on conflict (processor) do update set position = excluded.position, updated_at = now();
  end if;
end
$$;
