import { Aggregates, createPostgresEventStore, type SqlExecutor, type SqlQuery } from '@parley/event-store';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { Seals } from './event-seals.ts';
import { ada, admitted, bob, destroy, keys, newDatabase, openCopy } from './sealed-copy.fixture.ts';
import { StreamNames } from './stream-names.ts';
import { SubjectKeys } from './subject-keys.ts';

const personal = new Map([['RecipientAdmitted', { subject: 'contact_phone', fields: ['contact_phone'] }]]);

/** A copy to whose look-ups anything can happen, and another one beside it. */
async function openCopies() {
  const connectionString = await newDatabase();
  const other = await openCopy(connectionString);
  const onAnswer = new Map<string | undefined, () => void | Promise<void>>();
  const pool: SqlExecutor = other.store.pool;
  const sql: SqlExecutor = {
    async query<Row extends object>(query: SqlQuery) {
      const answer = await pool.query<Row>(query);
      const task = onAnswer.get(query.name);
      onAnswer.delete(query.name);
      await task?.();
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
    keys: subjectKeys,
    other,
    /** Between the answer of the next query of that name and its arrival. */
    meanwhile: (queryName: string, task: () => void | Promise<void>) => onAnswer.set(queryName, task),
  };
}

type Copies = Awaited<ReturnType<typeof openCopies>>;

/** Erases Ada, and the copy has noticed. */
async function eraseAda(copy: Copies): Promise<void> {
  await destroy(copy, ada);
  copy.seals.forget();
}

const eraseMeanwhile = (copy: Copies, queryName: string) => copy.meanwhile(queryName, () => eraseAda(copy));

test('who is not erased reads as before while a copy forgets', async () => {
  const { store, seals, meanwhile } = await openCopies();
  const [ofAda, ofBob] = [admitted(ada), admitted(bob)];
  await store.append(ofAda);
  await store.append(ofBob);
  seals.forget();
  await store.readStream(ofAda.streamId);
  // Ada is known, Bob is looked up.
  meanwhile('subject-keys-by-id', () => seals.forget());
  const events = await store.readAll({ after: 0, limit: 9 });
  expect(events.map(({ data }) => data)).toEqual([ofAda, ofBob].map((each) => each.events[0]?.data));
});

test('a key that is destroyed while a copy looks it up is not sealed with', async () => {
  const copy = await openCopies();
  await copy.store.append(admitted(ada));
  copy.seals.forget();
  eraseMeanwhile(copy, 'subject-keys-in-use-or-made');
  const again = admitted(ada);
  await copy.store.append(again);
  const [event] = await copy.other.store.readStream(again.streamId);
  expect(event?.data).toMatchObject({ contact_phone: ada });
});

test('a key that is destroyed while a copy looks it up opens nothing any more', async () => {
  const copy = await openCopies();
  const ofAda = admitted(ada);
  await copy.store.append(ofAda);
  copy.seals.forget();
  eraseMeanwhile(copy, 'subject-keys-by-id');
  await copy.store.readStream(ofAda.streamId);
  const [event] = await copy.store.readStream(ofAda.streamId);
  expect(event?.data).toMatchObject({ contact_phone: expect.stringMatching(/^erased:/) });
});

test('a name that is destroyed while a copy looks it up leads nowhere any more', async () => {
  const copy = await openCopies();
  const streamId = `permission-7:${ada}`;
  await copy.store.append(admitted(ada, { streamId }));
  copy.seals.forget();
  eraseMeanwhile(copy, 'subject-streams-find');
  await copy.store.readStream(streamId);
  expect(await copy.store.readStream(streamId)).toEqual([]);
});

test('a name that is destroyed as soon as it is made is made again', async () => {
  const copy = await openCopies();
  eraseMeanwhile(copy, 'subject-streams-make');
  await copy.store.append(admitted(ada, { streamId: `permission-7:${ada}` }));
  const { rows } = await copy.store.pool.query('select stream_id as name from es.events');
  expect(rows).toEqual([{ name: expect.stringMatching(/^permission-7:[^+]+$/) }]);
});

test('a copy that has not noticed yet that a key is destroyed gives no name with it', async () => {
  const copy = await openCopies();
  const streamId = `permission-7:${ada}`;
  await copy.store.append(admitted(ada));
  await destroy(copy, ada);
  await copy.store.append(admitted(ada, { streamId }));
  await copy.seals.adopt(1, `permission-8:${uuidv7()}`, admitted(ada).events);
  const { rows } = await copy.store.pool.query(
    `select destroyed_at from es.subject_streams join es.subject_keys using (key_id)`,
  );
  expect(rows).toEqual([{ destroyed_at: null }, { destroyed_at: null }]);
  copy.seals.forget();
  const [event] = await copy.store.readStream(streamId);
  expect(event?.data).toMatchObject({ contact_phone: ada });
});

test('a command that is under way while its person is erased is decided on what there is then, and so is the next', async () => {
  const copy = await openCopies();
  const aggregates = new Aggregates(copy.store, { racingMs: 0 });
  const { events, ...where } = admitted(ada, { streamId: `permission-7:${ada}` });
  const admit = (meanwhile: () => Promise<void> = async () => undefined) =>
    aggregates.execute({
      ...where,
      fold: { initialState: 0, evolve: (count: number) => count + 1 },
      command: null,
      decide: async (count) => {
        await meanwhile();
        return { events, reply: { count } };
      },
    });
  await admit();
  await admit();
  expect(await admit(() => eraseAda(copy))).toMatchObject({ kind: 'done', body: '{"count":0}', version: 1 });
  expect(await admit()).toMatchObject({ kind: 'done', body: '{"count":1}', version: 2 });
});
