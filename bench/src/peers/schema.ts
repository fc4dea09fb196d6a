/** The tables of both hand-written peers. */
export const directSchema = `
  create table if not exists api_keys (
    token_sha256 text primary key,
    account_id int not null,
    expires_at timestamptz
  );
  create table if not exists folders (
    id int generated always as identity primary key,
    account_id int not null,
    name text not null,
    color text,
    assistants_count int not null default 0,
    created_at timestamptz not null default now(),
    unique (account_id, name)
  );
  create index if not exists folders_by_account on folders (account_id, id desc);
`;
