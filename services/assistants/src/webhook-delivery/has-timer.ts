import type { SqlExecutor } from '@parley/event-store';

/**
 * Whether a timer exists. What the log says is under way goes on only by its timer, and timers are not part of an
 * import.
 */
export async function hasTimer(sql: SqlExecutor, id: string): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>({
    name: 'has-timer',
    text: 'select exists (select from es.timers where id = $1) as found',
    values: [id],
  });
  return rows[0]?.found ?? false;
}
