-- What the ledger that an account came with says of one hold, or of what was booked by one reference, found without the
-- rest of it: commands, which tell it of what was made here, stay where they were given. In the stream's order, so that no
-- other index is.
create index imported_by_key on es.events (stream_id, (coalesce(data ->> 'hold_id', data ->> 'reference')), stream_version)
  where metadata ? 'imported' and coalesce(data ->> 'hold_id', data ->> 'reference') is not null;
