-- What streams that never end came to at some of their versions, so that nobody folds them from the first event. Derived
-- from the log: they may be deleted at any time.
create table es.snapshots (
  stream_id text collate "C",
  form text collate "C",
  version int4,
  account_id int8,
  position int8 not null,
  recorded_at text not null,
  state jsonb not null,
  primary key (stream_id, form, version)
);
