/** Keys, campaigns and leads; a number is in a campaign once, unless a duplicate was asked for. */
export const leadsSchema = `
  create table if not exists api_keys (
    token_sha256 text primary key,
    account_id int not null,
    expires_at timestamptz
  );
  create table if not exists campaigns (
    id int generated always as identity primary key,
    account_id int not null,
    name text not null,
    channel text not null
  );
  create table if not exists leads (
    id int generated always as identity primary key,
    campaign_id int not null references campaigns,
    phone_number text not null,
    variables jsonb not null,
    secondary_contacts jsonb not null,
    status text not null default 'created',
    is_duplicate bool not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create unique index if not exists leads_once on leads (campaign_id, phone_number) where not is_duplicate;
  create index if not exists leads_of_campaign on leads (campaign_id, id desc);
`;
