import { createPostgresEventStore, type PostgresEventStore, type SqlExecutor } from '@parley/event-store';
import { eventually, startOwnPostgres } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openSeals } from './open-seals.ts';
import {
  ada,
  admitted,
  bob,
  type Copy,
  destroy,
  keys,
  newDatabase,
  openCopy,
} from './sealed-copy.fixture.ts';
import { SubjectKeys } from './subject-keys.ts';

/** Everything in every table, as a dump has it. */
async function dump({ pool }: PostgresEventStore): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'es'`,
  );
  const tables = await Promise.all(rows.map(({ name }) => pool.query(`select t::text from ${name} t`)));
  return JSON.stringify(tables.map((table) => table.rows));
}

test('what belongs to a person is unreadable where it is stored, and reads as it was in every copy', async () => {
  const url = await newDatabase();
  const [here, there] = [await openCopy(url), await openCopy(url)];
  const request = admitted(ada);
  await here.store.append(request);
  expect(await dump(here.store)).not.toContain(ada.slice(1));
  for (const { store } of [here, there]) {
    const [event] = await store.readStream(request.streamId);
    expect(event?.data).toEqual({ sender_id: 1, message_id: 1, contact_phone: ada });
    expect((await store.readAll({ after: 0, limit: 9 }))[0]).toEqual(event);
  }
});

test('one person has one key in one account, however many write at the same time', async () => {
  const url = await newDatabase();
  const copies = [await openCopy(url), await openCopy(url)];
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      copies[index % 2]?.store.append(admitted(index % 4 < 2 ? ada : bob, { accountId: 1 + (index % 2) })),
    ),
  );
  const { rows } = await (copies[0] as Copy).store.pool.query('select account_id from es.subject_keys');
  expect(rows).toHaveLength(4);
});

test('the keys of all whom a copy meets at once are found or made by one query, and kept', async () => {
  const { store } = await openCopy(await newDatabase());
  let queries = 0;
  const sql: SqlExecutor = store.pool;
  const counting: SqlExecutor = {
    query(query) {
      queries += 1;
      return sql.query(query);
    },
  };
  const secret = Buffer.alloc(32, 's');
  const numbers = Array.from({ length: 100 }, (_, index) => `+4917012345${String(index).padStart(2, '0')}`);
  const ofAll = (known: SubjectKeys) => Promise.all(numbers.map((number) => known.of(1, number)));
  const [here, there] = [0, 1].map(() => new SubjectKeys(counting, keys, secret));
  const made = here && (await ofAll(here));
  expect(queries).toBe(1);
  expect(here && (await ofAll(here))).toEqual(made);
  expect(queries).toBe(1);
  await here?.of(1, bob);
  // Another copy knows some of them from the table, and opens what it did not seal.
  expect(there && (await ofAll(there))).toEqual(made);
  expect(queries).toBe(3);
});

test('without the key the person is gone from every copy, and others are not', async () => {
  const url = await newDatabase();
  const [here, there] = [await openCopy(url), await openCopy(url)];
  const [ofAda, ofBob] = [admitted(ada), admitted(bob)];
  await here.store.append(ofAda);
  await here.store.append(ofBob);
  await there.store.readAll({ after: 0, limit: 9 });
  await destroy(here, ada);
  await eventually(async () => {
    for (const { store } of [here, there]) {
      const [left] = await store.readStream(ofAda.streamId);
      expect(left?.data).toMatchObject({ contact_phone: expect.stringMatching(/^erased:/), message_id: 1 });
    }
  });
  expect((await there.store.readStream(ofBob.streamId))[0]?.data).toMatchObject({ contact_phone: bob });
  // Who comes back is somebody new.
  const again = admitted(ada);
  await there.store.append(again);
  expect((await here.store.readStream(again.streamId))[0]?.data).toMatchObject({ contact_phone: ada });
});

test('a text belongs to everybody whose number it mentions', async () => {
  const copy = await openCopy(await newDatabase());
  const streamId = 'message-1';
  const data = { contact_phone: ada, contact_name: null, text: `Call ${bob} instead.`, message_id: 1 };
  await copy.store.append(admitted('', { streamId, events: [{ type: 'MessageReceived', data }] }));
  expect((await copy.store.readStream(streamId))[0]?.data).toEqual(data);
  await destroy(copy, bob);
  copy.seals.forget();
  expect(JSON.stringify(await copy.store.readStream(streamId))).not.toContain(bob);
});

test('of what is about somebody, a value that mentions nobody else stays when another one is erased', async () => {
  const copy = await openCopy(await newDatabase());
  const streamId = 'lead-1';
  const lead = { id: 1, campaign_id: 1, phone_number: ada, secondary_contacts: [], imported: null, at: 't' };
  const variables = { name: 'Ada', whom_to_ask: bob };
  const events = [{ type: 'LeadCreated', data: { ...lead, variables } }];
  await copy.store.append(admitted('', { streamId, events }));
  expect((await copy.store.readStream(streamId))[0]?.data).toEqual({ ...lead, variables });
  await destroy(copy, bob);
  copy.seals.forget();
  expect((await copy.store.readStream(streamId))[0]?.data).toEqual({ ...lead, variables: {} });
  await destroy(copy, ada);
  copy.seals.forget();
  expect(JSON.stringify(await copy.store.readStream(streamId))).not.toContain(ada);
});

test('an event that does not say whose it is belongs to the person of its stream', async () => {
  const copy = await openCopy(await newDatabase());
  const streamId = 'conversation-1';
  const started = { conversation_id: 1, uuid: 'u', sender_id: 1, contact_phone: ada, contact_name: null };
  await copy.store.append(
    admitted('', { streamId, events: [{ type: 'ConversationStarted', data: started }] }),
  );
  // No box can hold it by chance: base64 has neither blanks nor points.
  const named = { type: 'ConversationContactNamed', data: { conversation_id: 1, contact_name: 'Ada L.' } };
  await copy.store.append(admitted('', { streamId, events: [named] }));
  expect(await dump(copy.store)).not.toContain('Ada L.');
  expect((await copy.store.readStream(streamId))[1]?.data).toEqual(named.data);
  await destroy(copy, ada);
  copy.seals.forget();
  // What is heard of an erased person is not kept either.
  await copy.store.append(admitted('', { streamId, events: [named] }));
  const left = await copy.store.readStream(streamId);
  expect(left.slice(1).map(({ data }) => data)).toEqual(
    Array(2).fill({ conversation_id: 1, contact_name: '[erased]' }),
  );
});

test('a webhook about nobody who can be known is not taken for one about another person of its queue', async () => {
  const copy = await openCopy(await newDatabase());
  const streamId = 'webhooks-1';
  const queued = (body: object) => {
    const data = { delivery_id: 'd', event_id: 'e', sequence: 1, endpoint: 'x', body: JSON.stringify(body) };
    return { type: 'WebhookQueued', data: { ...data, occurred_at: '2026-11-21T09:00:00.000Z' } };
  };
  const bodies = [
    { customer_phone: ada },
    { customer_phone: '', summary: 'Wants a pizza.' },
    { note: 'Hi.' },
  ];
  for (const body of bodies) await copy.store.append(admitted('', { streamId, events: [queued(body)] }));
  await copy.store.append(admitted('', { streamId, events: bodies.map(queued) }));
  await destroy(copy, ada);
  copy.seals.forget();
  await copy.store.append(admitted('', { streamId, events: bodies.slice(1).map(queued) }));
  const left = (await copy.store.readStream(streamId)).map(({ data }) => (data as { body: string }).body);
  const [, ...others] = bodies.map((body) => JSON.stringify(body));
  expect(left).toEqual(['[erased]', ...others, '[erased]', ...others, ...others]);
});

test('the person of a stream is whom its events are about, not who was mentioned in words last', async () => {
  const copy = await openCopy(await newDatabase());
  const streamId = 'lead-1';
  const at = '2026-11-21T09:00:00.000Z';
  const lead = { id: 1, campaign_id: 1, phone_number: ada, variables: {}, secondary_contacts: [] };
  const attempt = { campaign_id: 1, attempt: 1, contact_id: null, at };
  const failed = { ...attempt, outcome: 'failed', reason: `${bob} sends no SMS to there.`, next: null };
  const corrected = { type: 'LeadVariablesReplaced', data: { variables: { name: 'Ada L.' }, at } };
  await copy.store.append(
    admitted('', { streamId, events: [{ type: 'LeadCreated', data: { ...lead, imported: null, at } }] }),
  );
  // Before it in the log, and before it in the same append.
  await copy.store.append(admitted('', { streamId, events: [{ type: 'LeadAttemptEnded', data: failed }] }));
  await copy.store.append(admitted('', { streamId, events: [corrected] }));
  await copy.store.append(
    admitted('', { streamId, events: [{ type: 'LeadAttemptEnded', data: failed }, corrected] }),
  );
  const variables = async () =>
    (await copy.store.readStream(streamId)).flatMap(({ type, data }) =>
      type === corrected.type ? [data] : [],
    );
  await destroy(copy, bob);
  copy.seals.forget();
  // What is said of the lead from now on is not taken for what is said of who is gone.
  await copy.store.append(admitted('', { streamId, events: [corrected] }));
  expect(await variables()).toEqual(Array(3).fill(corrected.data));
  await destroy(copy, ada);
  copy.seals.forget();
  expect(await variables()).toEqual(Array(3).fill({ variables: {}, at }));
});

test.each([
  ['numbers', ada],
  ['ids of customers who hide theirs', 'US.13491208655302741918'],
])('streams and claims hold no %s, and are found by them', async (_, person) => {
  const url = await newDatabase();
  const [here, there] = [await openCopy(url), await openCopy(url)];
  const streamId = `permission-7:${person}`;
  const claims = [{ op: 'take', scope: 'lead-number:7', key: person, owner: streamId }] as const;
  await here.store.append(admitted(person, { streamId, claims, expectedVersion: 0 }));
  expect(await dump(here.store)).not.toContain(person.slice(1));
  expect(await there.store.readStream(streamId)).toHaveLength(1);
  expect(await there.store.readAll({ after: 0, limit: 9, streamId })).toHaveLength(1);
  expect(await there.store.append(admitted(person, { streamId, expectedVersion: 0 }))).toMatchObject({
    kind: 'conflict',
    actualVersion: 1,
  });
  const taken = [{ ...claims[0], owner: 'another' }];
  expect(await there.store.append(admitted(person, { claims: taken }))).toMatchObject({
    kind: 'claim-taken',
    key: person,
    owner: expect.stringMatching(/^permission-7:[0-9a-f-]{36}$/),
  });
});

test('a claim by another spelling than its events have can be read as it was', async () => {
  const { seals, store } = await openCopy(await newDatabase());
  const [dialed, told] = ['+5511987654321', '+551187654321'];
  const claims = [dialed, told].map(
    (key) => ({ op: 'take', scope: 'conversation-of-sender:7', key, owner: 'conversation-1' }) as const,
  );
  const request = admitted(told, { claims });
  await store.append(request);
  const { rows } = await store.pool.query<{ key: string }>('select key from es.claims');
  const events = await store.readStream(request.streamId);
  const read = await Promise.all(rows.map(({ key }) => seals.readableKey(1, key, events)));
  expect(read.sort()).toEqual([told, dialed].sort());
});

test('a number that belongs to nobody is claimed over all accounts', async () => {
  const copy = await openCopy(await newDatabase());
  const claim = { op: 'take', scope: 'phone-number', key: ada } as const;
  const take = (accountId: number, owner: string) =>
    copy.store.append(admitted('', { accountId, streamId: owner, claims: [{ ...claim, owner }] }));
  await take(3, 'number-1');
  expect(await take(4, 'number-2')).toMatchObject({ kind: 'claim-taken', owner: 'number-1' });
});

test('a stream and a claim of before go on as they are', async () => {
  const connectionString = await newDatabase();
  const streamId = `permission-7:${ada}`;
  const before = await createPostgresEventStore({ connectionString });
  onTestFinished(() => before.close());
  const claims = [{ op: 'take', scope: 'lead-number:7', key: ada, owner: streamId }] as const;
  await before.append(admitted(ada, { streamId, claims }));
  const copy = await openCopy(connectionString);
  await copy.store.append(admitted(ada, { streamId, expectedVersion: 1 }));
  expect(await copy.store.readStream(streamId)).toHaveLength(2);
  expect(await copy.store.append(admitted(ada, { claims: [{ ...claims[0], owner: 'x' }] }))).toMatchObject({
    kind: 'claim-taken',
    owner: streamId,
  });
});

test('a key outlives a crash of Postgres at any moment, so that what is sealed with it afterwards can be opened', async () => {
  // Nothing is flushed but what is asked to be.
  const postgres = await startOwnPostgres({ wal_writer_delay: '10s' });
  onTestFinished(() => postgres.stop());
  const copy = await openCopy(postgres.url, () => undefined);
  await copy.keys.of(1, ada);
  await postgres.crash(0);
  await eventually(() => copy.store.append(admitted(ada)));
  const another = await openCopy(postgres.url, () => undefined);
  const [event] = await another.store.readAll({ after: 0, limit: 1 });
  expect(event?.data).toMatchObject({ contact_phone: ada });
});

test('a start looks for claims from before they were sealed without reading all that there are', async () => {
  const url = await newDatabase();
  const { store } = await openCopy(url);
  await store.pool.query(
    `insert into es.claims select 'name', i, 's-' || i from generate_series(1, 20000) i`,
  );
  await store.pool.query('vacuum analyze es.claims');
  const readings = async () => {
    const { rows } = await store.pool.query<{ all: number; some: number }>(
      `select seq_scan::int4 as all, (
         select idx_scan::int4 from pg_stat_user_indexes where indexrelname = 'claims_in_the_open'
       ) as some
       from pg_stat_user_tables where relid = 'es.claims'::regclass`,
    );
    return rows[0] ?? { all: 0, some: 0 };
  };
  const before = await readings();
  const started = await openSeals({ connectionString: url, keyring: keys, onError: () => undefined });
  await started.close();
  // Postgres counts what a session has read when that has ended.
  await eventually(async () => expect((await readings()).some).toBeGreaterThan(before.some));
  expect((await readings()).all).toBe(before.all);
});
