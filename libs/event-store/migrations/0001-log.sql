-- The log and what is decided together with it. Only es.append writes here.

-- One row. Locking it is the append lock; it gives out the next positions, so they are dense and visible in order.
create table es.head (
  only_row boolean primary key default true check (only_row),
  position int8 not null,
  recorded_at timestamptz not null
) with (fillfactor = 10);
insert into es.head (position, recorded_at) values (0, '-infinity');

create table es.events (
  position int8 primary key,
  recorded_at timestamptz not null,
  account_id int8,
  event_id uuid not null unique,
  stream_version int4 not null,
  schema_version int4 not null,
  stream_id text collate "C" not null,
  category text collate "C" not null,
  type text collate "C" not null,
  data jsonb not null,
  metadata jsonb not null,
  unique (stream_id, stream_version)
);

-- Statement triggers: they cost an append nothing and refuse even what would match no row.
create function es.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'es.events is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger events_are_never_changed before update or delete or truncate on es.events
  for each statement execute function es.refuse_change();

-- Kept for ever: a known command id is effective once, not only while a cache lasts.
create table es.commands (
  command_id uuid primary key,
  created_at timestamptz not null,
  position int8 not null,
  version int4 not null,
  stream_id text collate "C" not null,
  fingerprint text not null,
  reply text
);

create table es.claims (
  scope text collate "C" not null,
  key text collate "C" not null,
  owner text collate "C" not null,
  primary key (scope, key)
);
