-- What the newest verification of each projection found: whichever copy of the service is asked knows it.
create table es.verifications (
  projection text collate "C" primary key,
  status text not null check (status in ('running', 'done', 'failed')),
  rows int8 not null default 0,
  differences jsonb not null default '[]',
  error text,
  started_at timestamptz not null default now()
);
