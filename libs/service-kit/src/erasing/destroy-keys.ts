import { onOneConnection, type SqlExecutor } from '@parley/event-store';
import { nationalFormOf } from '@parley/phone-numbers';
import type pg from 'pg';
import type { SubjectKeys } from '../sealing/subject-keys.ts';

export interface Person {
  readonly accountId: number;
  /** Every spelling of their line in E.164, or what the chat platform calls a customer who hides it. */
  readonly phoneNumbers: readonly string[];
}

/**
 * Destroys the person's keys, those of an erasure that was broken off included, and returns their ids. From the commit
 * on nothing sealed with them can be opened; other copies forget what they know within `forgetPollMs`.
 */
export const destroyKeys = (pool: pg.Pool, keys: SubjectKeys, person: Person): Promise<readonly string[]> =>
  onOneConnection(pool, async (sql) => {
    await sql.query({ text: 'begin' });
    const { rows } = await sql.query<{ id: string }>({
      text: `update es.subject_keys set sealed_key = null, destroyed_at = coalesce(destroyed_at, now())
             where ${isOfPerson} returning key_id as id`,
      values: [hmacsOf(keys, person)],
    });
    const ids = rows.map(({ id }) => id);
    await sql.query({ text: 'delete from es.subject_streams where key_id = any($1::uuid[])', values: [ids] });
    await sql.query({ text: 'update es.subject_secret set erasures = erasures + 1' });
    await sql.query({ text: 'commit' });
    return ids;
  });

/** The ids of the person's keys that are not destroyed. */
export async function keyIdsOf(pool: pg.Pool, keys: SubjectKeys, person: Person): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select key_id as id from es.subject_keys where sealed_key is not null and ${isOfPerson}`,
    [hmacsOf(keys, person)],
  );
  return rows.map(({ id }) => id);
}

/** For SQL, by the parameter of `hmacsOf`. */
const isOfPerson = `subject_hmac in (select decode(hmac, 'hex') from unnest($1::text[]) hmac)`;

const hmacsOf = (keys: SubjectKeys, { accountId, phoneNumbers }: Person): readonly string[] =>
  phoneNumbers.flatMap(subjectsOf).map((subject) => keys.subjectHmac(accountId, subject));

/** Callers were once kept as their carrier told of them: without a plus, or as they are dialed at home. */
const subjectsOf = (phoneNumber: string): readonly string[] => [
  ...new Set([phoneNumber, phoneNumber.replace('+', ''), nationalFormOf(phoneNumber) ?? phoneNumber]),
];

/** The last step, for an erasure that is done: nothing leads from the numbers to its keys any more. */
export async function forgetKeys(sql: SqlExecutor, erasureId: string): Promise<void> {
  await sql.query({
    text: `update es.subject_keys set subject_hmac = null
           where key_id in (select unnest(subject_ids) from es.erasures where erasure_id = $1)`,
    values: [erasureId],
  });
}
