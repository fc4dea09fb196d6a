import { createHash } from 'node:crypto';
import type pg from 'pg';

/** The account of a bearer token, by one prepared query; undefined when there is none. */
export const createKeyLookup =
  (pool: pg.Pool) =>
  async (authorization: string | undefined): Promise<number | undefined> => {
    if (!authorization?.startsWith('Bearer ')) return undefined;
    const { rows } = await pool.query<{ account_id: number }>({
      name: 'key',
      text: 'select account_id from api_keys where token_sha256 = $1 and (expires_at is null or expires_at > now())',
      values: [createHash('sha256').update(authorization.slice(7)).digest('hex')],
    });
    return rows[0]?.account_id;
  };
