import type pg from 'pg';
import type { Person } from './destroy-keys.ts';
import { isMentionedIn, mentionsOf } from './mentions.ts';

/** What a repeated command is answered whose answer told of an erased person. */
const erasedReply = JSON.stringify({ message: 'What this was about was erased.' });

/**
 * Empties what is kept beside the log and tells of the person: answers of commands on streams about them, reports of
 * failures, snapshots.
 */
export async function scrub(pool: pg.Pool, person: Person, streamIds: readonly string[]): Promise<void> {
  await emptyReplies(pool, person, streamIds);
  const mentions = mentionsOf(person);
  await pool.query({
    text: `update es.dead_letters set error = '[erased]' where ${isMentionedIn('error', '$1', '$2')}`,
    values: mentions,
  });
  await deleteSnapshots(pool, person);
  await pool.query({
    text: `delete from es.verifications v where ${isMentionedIn('v::text', '$1', '$2')}`,
    values: mentions,
  });
  // What is no longer referred to leaves the pages too, and what is noted for planning.
  for (const table of [
    'es.commands',
    'es.dead_letters',
    'es.snapshots',
    'es.verifications',
    'es.subject_keys',
    'es.subject_streams',
    'es.timers',
  ])
    await pool.query(`vacuum (analyze) ${table}`);
}

/** What streams came to while the person was in it. */
export async function deleteSnapshots(pool: pg.Pool, person: Person): Promise<void> {
  await pool.query({
    text: `delete from es.snapshots s where s.account_id = $3 and ${isMentionedIn('s.state::text', '$1', '$2')}`,
    values: [...mentionsOf(person), person.accountId],
  });
}

/** Of commands on the streams, and whatever else of the account mentions the number. */
async function emptyReplies(pool: pg.Pool, person: Person, streamIds: readonly string[]): Promise<void> {
  await pool.query({
    text: `update es.commands c set reply = $3
           where c.reply <> $3 and (
             c.stream_id = any($2::text[]) or (${isMentionedIn('c.reply', '$4', '$5')} and ${isNotOfOthers('c', '$1')})
           )`,
    values: [person.accountId, streamIds, erasedReply, ...mentionsOf(person)],
  });
}

/** True of rows with a `stream_id` unless the stream is known to be another account's. */
export const isNotOfOthers = (table: string, accountId: string): string => `not exists (
  select from es.events o where o.stream_id = ${table}.stream_id and o.stream_version = 1 and o.account_id <> ${accountId}
)`;
