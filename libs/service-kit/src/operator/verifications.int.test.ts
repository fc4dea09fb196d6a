import { createPostgresEventStore } from '@parley/event-store';
import { createTestDatabase, patience } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Erasures } from '../erasing/erasures.ts';
import { Verifications } from './verifications.ts';

async function start() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const store = await createPostgresEventStore({ connectionString: url, timeouts: patience });
  onTestFinished(() => store.close());
  return { erasures: new Erasures(store.pool), verifications: new Verifications(store.pool) };
}

const erasureId = '0197a6d0-0000-7000-8000-000000000081';
const differing = {
  rows: 3,
  differences: [
    { table: 'items', key: '1', live: '{"phone":"+491701234567"}', expected: '{"phone":"erased:1"}' },
  ],
};

test('a view that differs while a person is erased could not be verified, and shows nobody', async () => {
  const { erasures, verifications } = await start();
  await erasures.started(erasureId, 1);
  await verifications.started('people');
  await verifications.ended('people', differing);
  const said = { status: 'failed', differences: [], error: expect.stringContaining('being erased') };
  expect(await verifications.read('people', false)).toMatchObject(said);
  await verifications.started('people');
  await erasures.ended(erasureId, { subject_ids: [], leftovers: [] });
  await verifications.ended('people', differing);
  expect(await verifications.read('people', false)).toMatchObject(said);
});

test('one that differs afterwards is a defect, and one that does not was verified', async () => {
  const { erasures, verifications } = await start();
  await erasures.started(erasureId, 1);
  await verifications.started('people');
  await verifications.ended('people', { ...differing, differences: [] });
  expect(await verifications.read('people', false)).toMatchObject({ status: 'done', rows: 3 });
  await erasures.ended(erasureId, { subject_ids: [], leftovers: [] });
  await verifications.started('people');
  await verifications.ended('people', differing);
  expect(await verifications.read('people', false)).toMatchObject({ status: 'done', ...differing });
});
