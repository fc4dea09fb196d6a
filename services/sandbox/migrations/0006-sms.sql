-- SMS that the carrier took; `status_url` is told what becomes of each, empty when nobody wants to know.
create table carrier.messages (
  sid text primary key,
  from_number text not null,
  to_number text not null,
  body text not null,
  status text not null,
  status_url text not null,
  created_at timestamptz not null
);

-- Where a callback goes; null for the address of its provider's callbacks.
alter table sandbox.callbacks add column url text;
