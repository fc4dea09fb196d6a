import type { SipTrunkEvent } from '@parley/contracts';
import { createPostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { findInboundTrunks } from './sip-trunk-queries.ts';
import { sipTrunksView } from './sip-trunks-view.ts';

test('trunks that have the calls to a number are found however it is written', async () => {
  const { url, drop } = await createTestDatabase();
  const inlineProjector = createInlineProjector([sipTrunksView]);
  const store = await createPostgresEventStore({ connectionString: url, inlineProjector });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  await prepareProjections(store.pool, [sipTrunksView]);
  const [created] = golden<SipTrunkEvent>('SipTrunkCreated.v1');
  const numbers = ['+14155550101', '14155550101', '+1-415-5550101', '4155550101', 'reception'];
  for (const [index, phone_number] of numbers.entries())
    await store.append({
      streamId: `sip-trunk-${index}`,
      category: 'sip-trunk',
      accountId: 3,
      events: [{ ...created, data: { ...created?.data, id: index, phone_number } } as SipTrunkEvent],
      expectedVersion: 0,
      metadata: testMetadata,
    });
  const found = await findInboundTrunks(store.pool, '+14155550101');
  expect(found.map(({ id }) => id).sort()).toEqual([0, 1, 2]);
});
