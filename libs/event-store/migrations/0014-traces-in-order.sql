-- A campaign's start leads to millions of events: the first of them are found without the others. By `+position`, so that
-- this index alone is in that order: by the log's own, all that lies before them would be looked through.
create index events_of_request on es.events ((metadata ->> 'correlationId'), (+position));
