-- How far each processor has read. A missing row means position 0.
create table es.checkpoints (
  processor text collate "C" primary key,
  position int8 not null,
  updated_at timestamptz not null default now()
) with (fillfactor = 20);

-- Moves a checkpoint or fails with serialization_failure, which makes the appender run its batch again.
create function es.advance_checkpoint(p_processor text, p_from int8, p_to int8) returns void language plpgsql as $$
begin
  update es.checkpoints set position = p_to, updated_at = now() where processor = p_processor and position = p_from;
  if not found then
    raise exception 'checkpoint of % is not at %', p_processor, p_from using errcode = 'serialization_failure';
  end if;
end
$$;

create table es.projections (
  name text collate "C" primary key,
  version int4 not null,
  schema_name text not null,
  status text not null default 'live',
  position int8 not null default 0,
  progress int8,
  owner text,
  error text,
  updated_at timestamptz not null default now()
);

create table es.timers (
  id text collate "C" primary key,
  kind text collate "C" not null,
  due_at timestamptz not null,
  payload jsonb not null,
  created_at timestamptz not null
) with (fillfactor = 80);
create index timers_due_at on es.timers (due_at, id);

create table es.dead_letters (
  id int8 generated always as identity primary key,
  processor text collate "C" not null,
  position int8 not null,
  event_id uuid not null,
  error text not null,
  attempts int4 not null,
  created_at timestamptz not null default now(),
  unique (processor, position)
);
