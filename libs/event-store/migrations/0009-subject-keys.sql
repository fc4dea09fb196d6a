-- What makes people erasable (ADR 18). Payloads hold what belongs to a person sealed with a key of that account and
-- person; without the key it is gone, from every copy of the log at once.

-- What turns a number into something to look it up by, sealed with the installation's key: a dump alone tells nothing.
create table es.subject_secret (
  only_row boolean primary key default true check (only_row),
  sealed text not null,
  -- How many erasures there were: copies that see it change forget what they know.
  erasures int8 not null default 0
);

create table es.subject_keys (
  key_id uuid primary key,
  account_id int8 not null,
  -- Of account and number; null once the person is erased.
  subject_hmac bytea,
  -- Sealed with the installation's key; null once it is destroyed.
  sealed_key text,
  created_at timestamptz not null default now(),
  destroyed_at timestamptz,
  check ((sealed_key is null) = (destroyed_at is not null))
);
create unique index subject_keys_in_use on es.subject_keys (subject_hmac) where destroyed_at is null;
create index subject_keys_by_subject on es.subject_keys (subject_hmac);

-- Streams whose name would hold a number have another one in the log.
create table es.subject_streams (
  name_hmac bytea primary key,
  stream_id text collate "C" not null,
  key_id uuid not null
);
create index subject_streams_of_key on es.subject_streams (key_id);

-- How erasing is going: whichever copy of the service is asked knows it.
create table es.erasures (
  erasure_id uuid primary key,
  account_id int8 not null,
  status text not null check (status in ('running', 'done', 'failed')),
  step text not null default '',
  subject_ids uuid[] not null default '{}',
  leftovers jsonb not null default '[]',
  error text,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
