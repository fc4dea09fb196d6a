create schema sandbox;

-- One absolute offset for the whole stack: `confirmed` when every service has it, `announced` from before the first is told.
create table sandbox.clock (
  only_row boolean primary key default true check (only_row),
  confirmed_seconds double precision not null default 0,
  announced_seconds double precision not null default 0
);
insert into sandbox.clock default values;

-- Operation '*' stands for every operation of the provider.
create table sandbox.faults (
  provider text not null,
  operation text not null,
  mode text not null,
  remaining integer not null,
  takes_effect boolean not null,
  primary key (provider, operation)
);

-- Bodies are JSON as text: a stand-in records what it was sent, whatever jsonb thinks of it.
create table sandbox.requests (
  id bigint generated always as identity primary key,
  provider text not null,
  operation text not null,
  method text not null,
  path text not null,
  idempotency_key text,
  body text,
  at timestamptz not null,
  answer_status integer,
  fault text
);
create index requests_by_provider on sandbox.requests (provider, id);

-- Webhooks on their way to the gateway. `topic` orders what belongs together.
create table sandbox.callbacks (
  id bigint generated always as identity primary key,
  provider text not null,
  topic text not null,
  event text not null,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dropped')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  last_answer text,
  created_at timestamptz not null default now()
);
create index callbacks_due on sandbox.callbacks (due_at, id) where state = 'waiting';
