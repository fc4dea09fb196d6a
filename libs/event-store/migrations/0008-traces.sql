-- What one request led to, found without a look through the log. Ids of requests are mostly uuidv7, so a new entry goes to
-- the right end, and the events of one request share it.
create index events_by_request on es.events ((metadata ->> 'correlationId'));
