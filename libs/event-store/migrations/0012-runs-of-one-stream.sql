-- Appends of one batch may share a stream when each expects the version that the one before it leaves behind: they are
-- written together instead of one commit each. p_effects may have `before`: for each append, how many events the batch itself
-- gives its stream before it; then `versions`, and the actual version of a conflict, count them in. Everything else is as
-- in 0011.
create or replace function es.append(
  p_stream_ids text[],
  p_expected int4[],
  p_counts int4[],
  p_ends int4[],
  p_command_ids uuid[],
  p_fingerprints text[],
  p_replies text[],
  p_event_appends int4[],
  p_event_places int4[],
  p_event_streams text[],
  p_event_categories text[],
  p_event_accounts int8[],
  p_event_types text[],
  p_event_schema_versions int4[],
  p_event_ids uuid[],
  p_event_data jsonb,
  p_event_metadata jsonb,
  p_claim_appends int4[],
  p_claim_is_take boolean[],
  p_claim_scopes text[],
  p_claim_keys text[],
  p_claim_owners text[],
  p_effects jsonb,
  p_views text[],
  p_foretold_head int8,
  p_foretold_at timestamptz
) returns table (
  previous_head int8, at timestamptz, versions int4[], refusals json, is_behind boolean, clock timestamptz
)
language plpgsql as $$
declare
  v_events constant int4 := coalesce(cardinality(p_event_ids), 0);
  v_last timestamptz;
  v_views text[];
  v_is_suspect boolean;
  v_before int4[];
begin
  -- A statement of its own, so that every later one sees what the lock's last holder wrote.
  select h.position, h.recorded_at, h.views, h.views <> p_views into previous_head, v_last, v_views, is_behind
  from es.head h for update;
  clock := es.now();
  -- Later than the append before, so that a moment tells what came before it from what came after.
  at := coalesce(p_foretold_at, greatest(clock, v_last + interval '1 microsecond'));
  if p_foretold_head <> previous_head or p_foretold_head is not null and (
    is_behind or at <= v_last or at < clock - interval '250 milliseconds' or at > clock + interval '1 millisecond'
  ) then
    raise exception using errcode = 'PZ001', message = 'The append was foretold otherwise.';
  end if;

  if p_effects ? 'before' then
    v_before := array(select jsonb_array_elements_text(p_effects -> 'before')::int4);
  end if;
  select array_agg(coalesce(s.version, 0) + coalesce(v_before[a.i], 0) order by a.i), coalesce(bool_or(
    a.expected <> coalesce(s.version, 0) + coalesce(v_before[a.i], 0)
    or exists (select from es.commands c where c.command_id = a.command_id)
  ), false)
  into versions, v_is_suspect
  from unnest(p_stream_ids, p_expected, p_command_ids) with ordinality a (stream_id, expected, command_id, i)
  left join lateral (
    select e.stream_version as version from es.events e
    where e.stream_id = a.stream_id order by e.stream_version desc limit 1
  ) s on true;

  if p_claim_appends is not null and not v_is_suspect then
    select coalesce(bool_or(exists (select from es.claims c where c.scope = p.scope and c.key = p.key)), false)
    into v_is_suspect
    from unnest(p_claim_is_take, p_claim_scopes, p_claim_keys) p (is_take, scope, key)
    where p.is_take;
  end if;

  if v_is_suspect or p_effects ?| '{checkpoints,fires}' then
    refusals := es.find_refusals(
      versions, p_expected, p_command_ids, p_fingerprints, p_replies,
      p_claim_appends, p_claim_is_take, p_claim_scopes, p_claim_keys, p_claim_owners, p_effects
    );
    if refusals is not null then
      if p_foretold_head is not null then
        raise exception using errcode = 'PZ001', message = 'The append was not foretold to be refused.';
      end if;
      return next;
      return;
    end if;
  end if;

  if v_events > 0 then
    insert into es.events (
      position, recorded_at, account_id, event_id, stream_version, schema_version,
      stream_id, category, type, data, metadata
    )
    select
      previous_head + e.i, at, e.account_id, e.event_id, versions[e.append] + e.place, e.schema_version,
      e.stream_id, e.category, e.type, e.data, e.metadata
    from rows from (
      unnest(p_event_appends), unnest(p_event_places), unnest(p_event_streams), unnest(p_event_categories),
      unnest(p_event_accounts), unnest(p_event_types), unnest(p_event_schema_versions), unnest(p_event_ids),
      jsonb_array_elements(p_event_data), jsonb_array_elements(p_event_metadata)
    ) with ordinality e (
      append, place, stream_id, category, account_id, type, schema_version, event_id, data, metadata, i
    );
    if is_behind then
      -- What the head vouched for so far stays behind from here on.
      update es.checkpoints set position = previous_head, updated_at = now() where processor = any (v_views);
    end if;
    update es.head set position = previous_head + v_events, recorded_at = at, views = p_views;
    perform pg_notify('es_appended', (previous_head + v_events)::text);
  end if;

  if p_command_ids is not null then
    if v_is_suspect then
      -- Known and not refused: it was still running and is completed now.
      update es.commands known
      set reply = c.reply, position = previous_head + c.last, version = versions[c.i] + c.count
      from unnest(p_command_ids, p_replies, p_ends, p_counts) with ordinality c (command_id, reply, last, count, i)
      where known.command_id = c.command_id;
    end if;
    insert into es.commands (command_id, created_at, position, version, stream_id, fingerprint, reply)
    select c.command_id, at, previous_head + c.last, versions[c.i] + c.count, c.stream_id, c.fingerprint, c.reply
    from unnest(p_command_ids, p_stream_ids, p_fingerprints, p_replies, p_ends, p_counts)
      with ordinality c (command_id, stream_id, fingerprint, reply, last, count, i)
    where c.command_id is not null and not (
      v_is_suspect and exists (select from es.commands known where known.command_id = c.command_id)
    );
  end if;

  if p_claim_appends is not null then
    if false = any (p_claim_is_take) then
      delete from es.claims c
      using unnest(p_claim_is_take, p_claim_scopes, p_claim_keys, p_claim_owners) p (is_take, scope, key, owner)
      where not p.is_take and c.scope = p.scope and c.key = p.key and c.owner = p.owner;
    end if;
    insert into es.claims (scope, key, owner)
    select p.scope, p.key, p.owner
    from unnest(p_claim_is_take, p_claim_scopes, p_claim_keys, p_claim_owners) p (is_take, scope, key, owner)
    where p.is_take and not (
      v_is_suspect and exists (select from es.claims c where c.scope = p.scope and c.key = p.key)
    );
  end if;

  if p_effects is not null then
    perform es.apply_effects(p_effects);
  end if;
  return next;
end
$$;
