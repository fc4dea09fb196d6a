import type pg from 'pg';
import type { Person } from './destroy-keys.ts';

/** What a repeated command is answered whose answer told of an erased person. */
const erasedReply = JSON.stringify({ message: 'What this was about was erased.' });

/**
 * Empties what is kept beside the log and tells of the person: answers of commands on streams about them, reports of
 * failures.
 */
export async function scrub(pool: pg.Pool, person: Person, streamIds: readonly string[]): Promise<void> {
  await emptyReplies(pool, person, streamIds);
  const patterns = mentionsOf(person);
  await pool.query({
    text: `update es.dead_letters set error = '[erased]' where error like any($1::text[])`,
    values: [patterns],
  });
  await pool.query({
    text: 'delete from es.verifications v where v::text like any($1::text[])',
    values: [patterns],
  });
  // What is no longer referred to leaves the pages too.
  for (const table of [
    'es.commands',
    'es.dead_letters',
    'es.verifications',
    'es.subject_keys',
    'es.subject_streams',
  ])
    await pool.query(`vacuum ${table}`);
}

/** Of commands on the streams, and whatever else of the account mentions the number. */
async function emptyReplies(pool: pg.Pool, person: Person, streamIds: readonly string[]): Promise<void> {
  await pool.query({
    text: `update es.commands c set reply = $3
           where c.reply <> $3 and (
             c.stream_id = any($2::text[]) or (c.reply like any($4::text[]) and ${isNotOfOthers('c', '$1')})
           )`,
    values: [person.accountId, streamIds, erasedReply, mentionsOf(person)],
  });
}

/** The digits, however the number is written around them: E.164, without the plus, URL-encoded. */
export const mentionsOf = ({ phoneNumbers }: Person): readonly string[] =>
  phoneNumbers.map((phoneNumber) => `%${phoneNumber.replace('+', '')}%`);

/** True of rows with a `stream_id` unless the stream is known to be another account's. */
export const isNotOfOthers = (table: string, accountId: string): string => `not exists (
  select from es.events o where o.stream_id = ${table}.stream_id and o.stream_version = 1 and o.account_id <> ${accountId}
)`;
