create schema voice;

-- Trunks and dispatch rules, as LiveKit's own messages in JSON.
create table voice.objects (
  id text primary key,
  kind text not null check (kind in ('inbound_trunk', 'outbound_trunk', 'dispatch_rule')),
  body jsonb not null,
  sequence bigint generated always as identity
);

create table voice.rooms (
  name text primary key,
  sid text not null,
  metadata text not null,
  created_at timestamptz not null
);

-- One SIP participant each; `remote_number` is the person's, `local_number` ours.
create table voice.calls (
  sip_call_id text primary key,
  room_name text not null references voice.rooms (name) on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  trunk_id text not null,
  remote_number text not null,
  local_number text not null,
  identity text not null,
  participant_sid text not null,
  participant_name text not null,
  participant_metadata text not null,
  attributes jsonb not null,
  created_at timestamptz not null,
  unique (room_name, identity)
);
create index live_outbound on voice.calls (remote_number, created_at) where direction = 'outbound';
