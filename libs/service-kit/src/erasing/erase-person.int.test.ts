import { randomUUID } from 'node:crypto';
import {
  createDecoder,
  createPostgresEventStore,
  type NewEvent,
  type PostgresEventStore,
} from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import {
  createInlineProjector,
  defineProjection,
  liveSchema,
  type Projection,
  prepareProjections,
  verifyProjection,
} from '@parley/processing';
import { golden, patience, startCuttingProxy, untilLockIsAwaited } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  ada,
  admitted,
  bob,
  type Copy,
  destroy,
  newDatabase,
  openCopy,
} from '../sealing/sealed-copy.fixture.ts';
import { forgetKeys } from './destroy-keys.ts';
import { type EndDealings, erasePerson } from './erase-person.ts';
import { Erasures } from './erasures.ts';

/** A row for each event of a type, with its payload. */
const viewOf = (name: string, type: string, version = 1): Projection =>
  defineProjection({
    name,
    version,
    handles: [type],
    tables: (schema) => `create table ${schema}.items (position int8 primary key, data jsonb not null)`,
    project: (events, db) =>
      db.query({
        text: `insert into ${db.schema}.items select * from unnest($1::int8[], $2::jsonb[])`,
        values: [events.map(({ position }) => position), events.map(({ data }) => JSON.stringify(data))],
      }),
  });

const people = viewOf('people', 'RecipientAdmitted');
const folders = viewOf('folders', 'FolderCreated');

/** A copy of the service that has these views. */
async function serve(url: string, { seals }: Copy, projections: readonly Projection[]) {
  const decode = createDecoder([], seals);
  const inlineProjector = createInlineProjector(projections, decode);
  const options = { connectionString: url, seals, inlineProjector, timeouts: patience };
  const store = await createPostgresEventStore(options);
  onTestFinished(() => store.close());
  await prepareProjections(store.pool, projections, undefined, decode);
  return { store, decode };
}

const created = { category: 'folder', events: [{ type: 'FolderCreated', data: { name: 'Leads' } }] };

async function start(projections: readonly Projection[]) {
  const url = await newDatabase();
  const copy = await openCopy(url);
  const { store, decode } = await serve(url, copy, projections);
  await store.append(admitted(ada));
  await store.append(admitted(bob));
  await store.append(admitted(ada, created));
  const erase = async (
    views: readonly Projection[],
    phoneNumbers: readonly string[] = [ada],
    endDealings?: EndDealings,
  ) => {
    const steps: string[] = [];
    const erased = await erasePerson({
      pool: store.pool,
      keys: copy.keys,
      decode,
      projections: views,
      endDealings,
      person: { accountId: 1, phoneNumbers },
      metadata: admitted(ada).metadata,
      onStep: async (step) => void steps.push(step),
    });
    return { ...erased, rebuilt: steps.flatMap((step) => step.match(/^rebuilding (.*)/)?.slice(1) ?? []) };
  };
  /** As when its process is killed. */
  const breakOffVerification = async (projection: Projection) => {
    const onProgress = () => {
      throw new Error('It is broken off.');
    };
    const verification = verifyProjection({ pool: store.pool, projection, decode, onProgress });
    await expect(verification).rejects.toThrow('broken off');
  };
  return { url, copy, store, erase, breakOffVerification };
}

const phonesIn = async ({ pool }: PostgresEventStore, view: Projection) =>
  (await pool.query(`select data ->> 'contact_phone' as phone from ${liveSchema(view)}.items order by 1`))
    .rows;

test('only views of events about the person are made anew', async () => {
  const { store, erase } = await start([people, folders]);
  const { leftovers, rebuilt } = await erase([people, folders]);
  expect(rebuilt).toEqual(['people']);
  expect(leftovers).toEqual([]);
  expect(await phonesIn(store, people)).toEqual([
    { phone: bob },
    { phone: expect.stringMatching(/^erased:/) },
  ]);
});

test('a person is gone under every spelling of their line', async () => {
  const { store, erase } = await start([people, folders]);
  const spellings = spellingsOf('+553187654321');
  for (const spelling of spellings) await store.append(admitted(spelling));
  const { leftovers, subject_ids } = await erase([people, folders], spellings);
  expect(subject_ids).toHaveLength(2);
  expect(leftovers).toEqual([]);
  const erased = { phone: expect.stringMatching(/^erased:/) };
  expect(await phonesIn(store, people)).toEqual([{ phone: bob }, { phone: ada }, erased, erased]);
});

test.each([
  ['without a plus', ada.slice(1)],
  ['as it is dialed at home', ada.replace('+49', '0')],
])('a person is gone from what a release before kept under their number %s', async (_, told) => {
  const { store, erase } = await start([people, folders]);
  await store.append(admitted(told));
  await store.pool.query(`update ${liveSchema(folders)}.items set data = to_jsonb($1::text)`, [
    `call-_${told}_1`,
  ]);
  const { leftovers, rebuilt, subject_ids } = await erase([people, folders]);
  expect([rebuilt, leftovers, subject_ids.length]).toEqual([['people', 'folders'], [], 2]);
  const erased = { phone: expect.stringMatching(/^erased:/) };
  expect(await phonesIn(store, people)).toEqual([{ phone: bob }, erased, erased]);
});

test('a view that has the person though its events have not is made anew', async () => {
  const { store, erase } = await start([people, folders]);
  await store.pool.query(`update ${liveSchema(folders)}.items set data = to_jsonb($1::text)`, [ada]);
  const { leftovers, rebuilt } = await erase([people, folders]);
  expect(rebuilt).toEqual(['people', 'folders']);
  expect(leftovers).toEqual([]);
});

test('after an upgrade the views of the release before do not keep the person', async () => {
  const { url, copy, erase } = await start([people, folders]);
  const newer = viewOf('people', 'RecipientAdmitted', 2);
  const upgraded = await serve(url, copy, [newer, folders]);
  await upgraded.store.append(admitted(bob));
  const { leftovers } = await erase([newer, folders]);
  expect(leftovers).toEqual([]);
  expect(await phonesIn(upgraded.store, newer)).toHaveLength(3);
});

test('what a verification that was broken off has left does not keep the person', async () => {
  const { erase, breakOffVerification } = await start([people, folders]);
  await breakOffVerification(people);
  const { leftovers } = await erase([people, folders]);
  expect(leftovers).toEqual([]);
});

test('a verification that ends while a person is looked for does not break off their erasure', async () => {
  const { store, erase, breakOffVerification } = await start([people, folders]);
  await breakOffVerification(folders);
  const ending = await store.pool.connect();
  await ending.query(`begin; drop schema ${liveSchema(folders)}__verify cascade`);
  const erased = erase([people, folders]);
  await untilLockIsAwaited(ending);
  await ending.query('commit');
  ending.release();
  expect((await erased).leftovers).toEqual([]);
});

test('nor does it where it was of the release before', async () => {
  const { url, copy, erase, breakOffVerification } = await start([people, folders]);
  await breakOffVerification(people);
  const newer = viewOf('people', 'RecipientAdmitted', 2);
  const upgraded = await serve(url, copy, [newer, folders]);
  await upgraded.store.append(admitted(bob));
  const { leftovers } = await erase([newer, folders]);
  expect(leftovers).toEqual([]);
});

test('a version that somebody still keeps current keeps its tables', async () => {
  const { url, copy, store, erase } = await start([people, folders]);
  const newer = viewOf('people', 'RecipientAdmitted', 2);
  const upgraded = await serve(url, copy, [newer, folders]);
  await upgraded.store.append(admitted(bob));
  await store.append(admitted(bob));
  const { leftovers } = await erase([newer, folders]);
  expect(leftovers).toEqual([{ table: `${liveSchema(people)}.items`, rows: 1 }]);
});

test('what tells of somebody whose number contains the erased one stays', async () => {
  const { store, erase } = await start([people, folders]);
  const others = [`${ada}8`, `+1${ada.slice(1)}`];
  const replies = others.map((contact_phone) => JSON.stringify({ contact_phone }));
  for (const reply of replies)
    await store.append(
      admitted(bob, { ...created, command: { commandId: randomUUID(), fingerprint: 'f', reply } }),
    );
  await store.pool.query(`update ${liveSchema(folders)}.items set data = to_jsonb($1::text[])`, [others]);
  const { leftovers, rebuilt } = await erase([people, folders]);
  expect(rebuilt).toEqual(['people']);
  expect(leftovers).toEqual([]);
  const { rows } = await store.pool.query<{ reply: string }>('select reply from es.commands');
  expect(new Set(rows.map(({ reply }) => reply))).toEqual(new Set(replies));
});

test('what was answered about money stays, though a charge on its stream mentions the person', async () => {
  const { store, erase } = await start([people, folders]);
  const [charge] = golden<{ type: string; data: object }>('BalanceCaptured.v1');
  const mentioning = { ...charge, data: { ...charge?.data, description: `Call with ${ada}` } } as NewEvent;
  const balance = { streamId: 'balance-1', category: 'balance' };
  const answering = (reply: string) => ({ command: { commandId: randomUUID(), fingerprint: 'f', reply } });
  await store.append(
    admitted(ada, {
      ...balance,
      ...answering('{"total_balance":"7.00"}'),
      events: golden<NewEvent>('BalanceToppedUp.v1'),
    }),
  );
  await store.append(
    admitted(ada, { ...balance, ...answering(`{"charged":"${ada}"}`), events: [mentioning] }),
  );
  await store.append(admitted(ada, answering('{"message_id":1}')));
  expect((await erase([people, folders])).leftovers).toEqual([]);
  const { rows } = await store.pool.query<{ reply: string }>(
    'select reply from es.commands order by position',
  );
  const [toppedUp, ...others] = rows.map(({ reply }) => JSON.parse(reply));
  expect(toppedUp).toEqual({ total_balance: '7.00' });
  for (const other of others) expect(other).toEqual({ message: expect.stringContaining('erased') });
});

test('what is begun by what was read of the person before their key was gone is ended as well', async () => {
  const { store, erase } = await start([people]);
  const ended: string[] = [];
  let begun = ['a lead of yesterday'];
  const { subject_ids } = await erase([people], [ada], async () => {
    ended.push(...begun);
    const { rowCount } = await store.pool.query('select from es.subject_keys where sealed_key is null');
    begun = rowCount === 0 ? ['a run of just now'] : [];
  });
  expect(subject_ids).toHaveLength(1);
  expect(ended).toEqual(['a lead of yesterday', 'a run of just now']);
});

test('whoever has forgotten the person learns nothing of them from what a ledger was before', async () => {
  const { store, erase } = await start([people]);
  const of = { version: 1, accountId: 1, position: 1, recordedAt: '2026-11-21T10:00:00.000000Z' };
  for (const [n, phone] of [bob, ada].entries())
    await store.keepSnapshot(`balance-${n}`, 'sums', { ...of, state: { holds: [`Message to ${phone}`] } });
  const found: object[] = [];
  const { leftovers } = await erase([people], [ada], async () => {
    const kept = await Promise.all([0, 1].map((n) => store.findSnapshot(`balance-${n}`, 'sums', {})));
    found.push(kept.map((each) => each !== undefined));
  });
  expect(found).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(leftovers).toEqual([]);
});

test('whoever erases again is told of the same keys until these may be forgotten', async () => {
  const { store, erase } = await start([people]);
  const erasures = new Erasures(store.pool);
  const erasureId = randomUUID();
  await erasures.started(erasureId, 1);
  const first = await erase([people]);
  expect(first.subject_ids).toHaveLength(1);
  await forgetKeys(store.pool, erasureId);
  expect((await erase([people])).subject_ids).toEqual(first.subject_ids);
  // Who comes back meanwhile is somebody new.
  await store.append(admitted(ada));
  await erasures.ended(erasureId, first);
  await forgetKeys(store.pool, erasureId);
  const later = await erase([people]);
  expect(later.subject_ids).toHaveLength(1);
  expect(later.subject_ids).not.toEqual(first.subject_ids);
  expect(later.leftovers).toEqual([]);
});

test('what Postgres has noted of the values in tables does not keep the person', async () => {
  const { store, erase } = await start([people, folders]);
  const payload = { customer_phone: ada };
  for (const id of ['timer-1', 'timer-2'])
    await store.append(
      admitted(bob, {
        command: { commandId: randomUUID(), fingerprint: 'f', reply: JSON.stringify(payload) },
        timers: [{ id, kind: 'ask', due: { afterMs: 60_000 }, payload }],
      }),
    );
  const { pool } = store;
  await pool.query(`insert into es.dead_letters (processor, position, event_id, error, attempts)
    select 'reactor:asks', i, gen_random_uuid(), '${ada} is not there.', 5 from generate_series(1, 2) i`);
  await pool.query('analyze');
  const sync = { id: 'sync', kind: 'sync', due: { afterMs: 60_000 }, payload: {} };
  await store.append(admitted(bob, { cancelTimers: ['timer-1', 'timer-2'], timers: [sync] }));
  const noted = async () => {
    const text = 'select tablename from pg_stats s where s::text like $1 order by 1';
    return (await pool.query<{ tablename: string }>(text, [`%${ada}%`])).rows.map(
      ({ tablename }) => tablename,
    );
  };
  expect(await noted()).toEqual(['commands', 'dead_letters', 'timers']);
  expect((await erase([people, folders])).leftovers).toEqual([]);
  expect(await noted()).toEqual([]);
});

test('keys whose destroying gets no answer are told as not destroyed, and may be destroyed again', async () => {
  const url = await newDatabase();
  const copy = await openCopy(url);
  await copy.store.append(admitted(ada));
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  const far = await openCopy(proxy.url, () => undefined);
  await far.store.pool.query('select 1');
  proxy.goSilent();
  await expect(destroy({ ...copy, store: far.store }, ada)).rejects.toThrow('Query read timeout');
  expect(await destroy(copy, ada)).toHaveLength(1);
});
