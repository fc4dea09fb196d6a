-- An account's events are found without a look through everybody else's: what is read to put them into one order (ADR 12)
-- is a page of a log that holds those of all accounts. A new account would wait for a look through years of it.
create index events_of_account on es.events (account_id, position);
