create schema chat;

-- A business number; each has a WhatsApp Business Account of its own, because templates belong to accounts.
create table chat.senders (
  phone_number text primary key,
  phone_number_id text not null unique,
  waba_id text not null unique,
  display_name text not null,
  quality_rating text not null,
  messaging_limit integer,
  calling_enabled boolean not null,
  online boolean not null,
  created_at timestamptz not null
);

create table chat.templates (
  id text primary key,
  waba_id text not null references chat.senders (waba_id) on delete cascade,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  body_text text not null,
  variables text[] not null,
  kind text not null,
  unique (waba_id, name, language)
);

-- `wa_id` is the customer's number without the plus sign, as on the platform.
create table chat.messages (
  id text primary key,
  phone_number_id text not null references chat.senders (phone_number_id) on delete cascade,
  wa_id text not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  is_permission_request boolean not null,
  status text not null,
  callback_data text,
  category text not null,
  created_at timestamptz not null
);
create index messages_of_contact on chat.messages (phone_number_id, wa_id, created_at);

create table chat.permissions (
  phone_number_id text not null references chat.senders (phone_number_id) on delete cascade,
  wa_id text not null,
  status text not null check (status in ('no_permission', 'temporary', 'permanent')),
  expires_at timestamptz,
  last_connected_at timestamptz,
  primary key (phone_number_id, wa_id)
);
