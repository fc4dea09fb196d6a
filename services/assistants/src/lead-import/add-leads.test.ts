import {
  Contended,
  createInMemoryEventStore,
  LostRaces,
  type SqlExecutor,
  type SqlQuery,
} from '@parley/event-store';
import { expect, test } from 'vitest';
import { addLeads } from './add-leads.ts';

const metadata = {
  correlationId: 'c',
  causationId: 'c',
  commandId: null,
  actor: { kind: 'operator', id: 'tests' },
} as const;
const claim = { scope: 'lead-number:5', key: '+14155552671' };
const rows = {
  importId: '0193e2a0-0000-7000-8000-000000000004',
  campaignId: 5,
  accountId: 7,
  metadata,
  now: new Date(),
  rows: [{ row: 2, phoneNumber: claim.key, variables: {} }],
};

/** A log and a campaign without numbers, where the claim on one changes hands whenever one looks, so often. */
function changingHands(times: number) {
  const store = createInMemoryEventStore();
  let looks = 0;
  const sql: SqlExecutor = {
    async query() {
      looks += 1;
      if (looks <= times)
        await store.append({
          ...{ streamId: `lead-${looks}`, category: 'lead', accountId: 7, metadata, expectedVersion: 0 },
          events: [{ type: 'LeadCreated', data: { id: looks } }],
          claims: [
            { op: 'release', ...claim, owner: `lead-${looks - 1}` },
            { op: 'take', ...claim, owner: `lead-${looks}` },
          ],
        });
      return { rows: [], rowCount: 0 };
    },
  };
  let id = 100;
  return { store, adding: { store, sql, ids: { next: async () => ++id } } };
}

test('a number that has left the campaign is taken over, also when others take it over at the same time', async () => {
  const { store, adding } = changingHands(3);
  expect(await addLeads(adding, rows, new LostRaces(0))).toEqual({ created: 1, skipped: 0 });
  expect(await store.readStream('lead-101')).toHaveLength(1);
});

test('a number that keeps changing hands is given up for now: whoever imports is asked to come again', async () => {
  const { store, adding } = changingHands(Number.POSITIVE_INFINITY);
  await expect(addLeads(adding, rows, new LostRaces(0))).rejects.toThrow(Contended);
  expect(await store.readStream('lead-101')).toEqual([]);
});

/** A campaign whose view has these leads. */
const having = (...leads: readonly object[]) =>
  ({ query: async () => ({ rows: leads, rowCount: null }) }) as unknown as SqlExecutor;

test('of rows with one number the first is the lead', async () => {
  const { store, adding } = changingHands(0);
  const named = ['Ada', 'Bob'].map((name, index) => ({
    row: 2 + index,
    phoneNumber: claim.key,
    variables: { name },
  }));
  expect(await addLeads(adding, { ...rows, rows: named })).toEqual({ created: 1, skipped: 1 });
  expect(await store.readStream('lead-101')).toMatchObject([{ data: { variables: { name: 'Ada' } } }]);
});

test('a row of a chunk that broke off counts as created once it has its lead, also where that has another number by now, or is gone', async () => {
  const { store, adding } = changingHands(0);
  await addLeads(adding, rows);
  expect(await addLeads(adding, rows)).toEqual({ created: 1, skipped: 0 });
  expect(await store.readStream('lead-102')).toEqual([]);
  const lead = { phone_number: claim.key, import_id: rows.importId, import_row: 2 };
  const again = (known: object) => addLeads({ ...adding, sql: having(known) }, rows);
  expect(await again(lead)).toEqual({ created: 1, skipped: 0 });
  for (const other of [
    { ...lead, import_row: 3 },
    { ...lead, import_id: null },
  ])
    expect(await again(other)).toEqual({ created: 0, skipped: 1 });
});

test('a line is added once, by whichever of its spellings it stands in the file or in the campaign', async () => {
  const [dialed, told] = ['+5511987654321', '+551187654321'];
  const both = [dialed, told].map((phoneNumber, index) => ({ row: 2 + index, phoneNumber, variables: {} }));
  const { adding } = changingHands(0);
  expect(await addLeads(adding, { ...rows, rows: both })).toEqual({ created: 1, skipped: 1 });
  const row = { phone_number: dialed, import_id: null, import_row: null };
  const known = {
    query: async ({ values = [] }: SqlQuery) => ({
      rows: values.flat().includes(dialed) ? [row] : [],
      rowCount: null,
    }),
  } as unknown as SqlExecutor;
  const again = { ...rows, rows: both.slice(1) };
  expect(await addLeads({ ...adding, sql: known }, again)).toEqual({ created: 0, skipped: 1 });
});
