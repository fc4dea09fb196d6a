-- Which versions of which events releases may have recorded, and from where on: so that one that goes back knows where to
-- look for what it would read wrongly.
create table es.event_versions (
  type text collate "C" not null,
  version int4 not null,
  -- No event of that version is at this position or before.
  after int8 not null,
  primary key (type, version)
);
