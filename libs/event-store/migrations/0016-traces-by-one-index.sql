-- 0014 replaced it. Not there: an append that waits for the new index has looked into the log already, and dropping one
-- waits for whoever has.
drop index if exists es.events_by_request;
