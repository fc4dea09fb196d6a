import { createPostgresEventStore, type SqlExecutor, type SqlQuery } from '@parley/event-store';
import { expect, onTestFinished, test } from 'vitest';
import { Seals } from './event-seals.ts';
import { ada, admitted, bob, keys, newDatabase, openCopy } from './sealed-copy.fixture.ts';
import { StreamNames } from './stream-names.ts';
import { SubjectKeys } from './subject-keys.ts';

const personal = new Map([['RecipientAdmitted', { subject: 'contact_phone', fields: ['contact_phone'] }]]);

/** A copy to whose look-ups anything can happen. */
async function openSlowCopy() {
  const connectionString = await newDatabase();
  const other = await openCopy(connectionString);
  let onAnswer: () => Promise<void> = async () => undefined;
  const pool: SqlExecutor = other.store.pool;
  const sql: SqlExecutor = {
    async query<Row extends object>(query: SqlQuery) {
      const answer = await pool.query<Row>(query);
      await onAnswer();
      return answer;
    },
  };
  const subjectKeys = new SubjectKeys(sql, keys, Buffer.alloc(32, 's'));
  const names = new StreamNames(sql, subjectKeys);
  const seals = new Seals({ sql, keys: subjectKeys, names, personal });
  const store = await createPostgresEventStore({ connectionString, seals });
  onTestFinished(() => store.close());
  return {
    store,
    seals,
    /** Between the answer of the next look-up and its arrival. */
    meanwhile(task: () => void | Promise<void>) {
      onAnswer = async () => {
        onAnswer = async () => undefined;
        await task();
      };
    },
  };
}

test('who is not erased reads as before while a copy forgets', async () => {
  const { store, seals, meanwhile } = await openSlowCopy();
  const [ofAda, ofBob] = [admitted(ada), admitted(bob)];
  await store.append(ofAda);
  await store.append(ofBob);
  seals.forget();
  await store.readStream(ofAda.streamId);
  // Ada is known, Bob is looked up.
  meanwhile(() => seals.forget());
  const events = await store.readAll({ after: 0, limit: 9 });
  expect(events.map(({ data }) => data)).toEqual([ofAda, ofBob].map((each) => each.events[0]?.data));
});
