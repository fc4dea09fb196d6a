-- Ids of the address and of the regulatory bundle that a number was bought with.
alter table carrier.numbers add column address_sid text, add column bundle_sid text;
