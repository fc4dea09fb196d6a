import type { ApiKeyEvent } from '@parley/contracts';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { listDeletedKeys } from './api-key-queries.ts';

test('a gateway hears of deletions among the 10,000 events that it missed; of more it is told that it knows nothing', async () => {
  const store = await createTestStore([]);
  onTestFinished(() => store.close());
  const events = golden<ApiKeyEvent>('ApiKeyCreated.v1', 'ApiKeyDeleted.v1');
  const about = { streamId: 'api-key-5', category: 'api-key', accountId: 3, expectedVersion: 0 };
  await store.append({ ...about, events, metadata: testMetadata });
  const deleted = events.flatMap(({ type, data }) => (type === 'ApiKeyDeleted' ? [data.api_key_id] : []));
  await store.pool.query('update es.head set position = 10001');
  expect(await listDeletedKeys(store.pool, 0)).toEqual({ position: 10_001, deleted: null });
  expect(await listDeletedKeys(store.pool, 1)).toEqual({ position: 10_001, deleted });
  expect(await listDeletedKeys(store.pool, 10_001)).toEqual({ position: 10_001, deleted: [] });
  expect(await listDeletedKeys(store.pool, 10_002)).toEqual({ position: 10_001, deleted: null });
});
