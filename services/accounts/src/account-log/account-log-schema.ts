import { makeBesideLog, type SqlExecutor } from '@parley/event-store';

/**
 * The order in which an account's events were put when they were first read. It is a fact, not a view: nothing could
 * bring the same order about again, so it is never rebuilt and only ever grows (ADR 12).
 */
const tables = `
create table if not exists account_log.heads (
  account_id int8 primary key,
  -- Of the newest entry.
  position int8 not null,
  -- How far each service's log was merged.
  reached jsonb not null
) with (fillfactor = 50);

create table if not exists account_log.entries (
  account_id int8,
  position int8,
  service_position int8 not null,
  service text collate "C" not null,
  type text collate "C" not null,
  primary key (account_id, position)
);
`;

/** Makes what the log of accounts needs. Copies that start together take turns. */
export const prepareAccountLog = (sql: SqlExecutor): Promise<void> =>
  makeBesideLog(sql, 'account_log', tables);
