create schema carrier;

-- Numbers that were bought and not released; a number exists once.
create table carrier.numbers (
  sid text primary key,
  phone_number text not null unique,
  friendly_name text not null,
  country_code text not null,
  type text not null,
  sms_capable boolean not null,
  voice_url text not null default '',
  sms_url text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
