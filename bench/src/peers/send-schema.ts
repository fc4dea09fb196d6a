/** Keys, balances, senders, templates, conversations and messages, as a competent user lays them out. */
export const sendSchema = `
  create table if not exists accounts (id int primary key, balance_micros int8 not null check (balance_micros >= 0));
  create table if not exists api_keys (
    token_sha256 text primary key,
    account_id int not null references accounts,
    expires_at timestamptz
  );
  create table if not exists senders (
    id int primary key, account_id int not null references accounts, phone_number_id text not null, online bool not null
  );
  create table if not exists templates (
    id int primary key, sender_id int not null references senders, name text not null, language text not null,
    status text not null, body_text text not null, price_micros int8 not null
  );
  create table if not exists conversations (
    id int generated always as identity primary key,
    uuid uuid not null default gen_random_uuid(),
    sender_id int not null references senders,
    contact_phone text not null,
    contact_name text,
    unique (sender_id, contact_phone)
  );
  create table if not exists messages (
    id int generated always as identity primary key,
    conversation_id int not null references conversations,
    template_id int not null references templates,
    body text not null,
    price_micros int8 not null,
    status text not null default 'queued',
    message_sid text,
    created_at timestamptz not null default now()
  );
  create index if not exists messages_by_conversation on messages (conversation_id, id desc);
`;
