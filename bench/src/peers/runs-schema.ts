/** Keys, automations and their runs. */
export const runsSchema = `
  create table if not exists api_keys (
    token_sha256 text primary key,
    account_id int not null,
    expires_at timestamptz
  );
  create table if not exists automations (
    id int primary key,
    account_id int not null
  );
  create table if not exists runs (
    id uuid primary key,
    automation_id int not null references automations,
    status text not null,
    started_at timestamptz not null,
    active_ms int8 not null,
    active_since timestamptz
  );
  create index if not exists runs_of_automation on runs (automation_id, started_at desc, id desc);
`;
