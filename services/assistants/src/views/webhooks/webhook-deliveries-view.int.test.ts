import type { WebhookDeliveryEvent, WebhookQueuedEvent } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, golden, rowsRead, testMetadata, vacuum } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deliveryCategory, deliveryStream } from '../../webhook-delivery/delivery.ts';
import { createWebhookDeliveries, type PageOfDeliveries } from './webhook-deliveries.ts';
import { deliveriesTable, webhookDeliveriesView } from './webhook-deliveries-view.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  // One connection, whose statistics tell of all that is read.
  store = await createTestStore([webhookDeliveriesView], { maxConnections: 1 });
  // One a minute from the beginning of 2026 on. Few are exhausted, or of assistant 5, and none of them is new.
  await store.pool.query(`
    insert into ${deliveriesTable} (
      id, account_id, event, assistant_id, event_id, sequence, created_position, active_position, url, url_json, status,
      attempts, next_attempt_at, created_at
    )
    select 'msg_' || n, 1, 'post_call', case when n % 100 = 7 and n < 1000 then 5 else 6 end, 'event-' || n, n, n, n,
      'https://hooks.example', '"https://hooks.example"',
      case when n % 100 = 0 and n < 1000 then 'exhausted' else 'delivered' end, '[]', null,
      to_char(timestamp '2026-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')
    from generate_series(1, 4000) n`);
  await vacuum(store.pool, deliveriesTable);
});
afterEach(() => store.close());

async function list(asked: Partial<PageOfDeliveries>) {
  const all = { accountId: 1, event: undefined, status: undefined, assistantId: undefined };
  const page = { ...all, before: Number.MAX_SAFE_INTEGER, limit: 3, ...asked };
  const items = await createWebhookDeliveries(store.pool).list(page);
  return items.map(({ body }) => JSON.parse(body).sequence);
}

test('a page of deliveries reads its own, whatever it is filtered by', async () => {
  const before = await rowsRead(store.pool, deliveriesTable);
  expect(await list({})).toEqual([4000, 3999, 3998]);
  expect(await list({ status: 'exhausted' })).toEqual([900, 800, 700]);
  expect(await list({ status: 'exhausted', before: 700 })).toEqual([600, 500, 400]);
  expect(await list({ assistantId: 5 })).toEqual([907, 807, 707]);
  expect(await list({ event: 'inbound_call' })).toEqual([]);
  expect(await list({ accountId: 2 })).toEqual([]);
  expect((await rowsRead(store.pool, deliveriesTable)) - before).toBeLessThan(40);
});

test('the first webhook since a moment is found without reading those before it', async () => {
  const { firstSince } = createWebhookDeliveries(store.pool);
  const of = { accountId: 1, event: 'post_call' } as const;
  const before = await rowsRead(store.pool, deliveriesTable);
  expect(await firstSince({ ...of, since: '2026-01-03T18:30:00.000Z' })).toEqual({
    sequence: 3990,
    created_at: '2026-01-03T18:30:00.000Z',
  });
  expect(await firstSince({ ...of, since: '2026-01-03T18:30:30.000Z' })).toMatchObject({ sequence: 3991 });
  expect(await firstSince({ ...of, since: '2026-02-01T00:00:00.000Z' })).toBeNull();
  expect((await rowsRead(store.pool, deliveriesTable)) - before).toBeLessThan(40);
  expect(await firstSince({ ...of, since: '2025-01-01T00:00:00.000Z' })).toMatchObject({ sequence: 1 });
});

test('a webhook that is asked for again and again shows its newest hundred attempts', async () => {
  const [queued] = golden<WebhookQueuedEvent>('WebhookQueued.v1');
  const [failed] = golden<WebhookDeliveryEvent>('WebhookAttemptFailed.v1');
  if (queued?.type !== 'WebhookQueued' || failed?.type !== 'WebhookAttemptFailed')
    throw new Error('No files.');
  const id = queued.data.delivery_id;
  const by = { accountId: 3, expectedVersion: 'any', metadata: testMetadata } as const;
  await store.append({ ...by, streamId: 'webhook-queue-3:post_call', category: 'queue', events: [queued] });
  const numbersAfter = async (first: number, last: number) => {
    const events = Array.from({ length: last - first + 1 }, (_, index) => ({
      ...failed,
      data: { ...failed.data, attempt: first + index },
    }));
    await store.append({ ...by, streamId: deliveryStream(id), category: deliveryCategory, events });
    const found = await createWebhookDeliveries(store.pool).find(id);
    const { attempts }: { attempts: { attempt: number }[] } = JSON.parse(found?.body ?? '');
    return attempts.map(({ attempt }) => attempt);
  };
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  expect(await numbersAfter(1, 2)).toEqual([1, 2]);
  expect(await numbersAfter(3, 101)).toEqual(numbers(2, 101));
  expect(await numbersAfter(102, 403)).toEqual(numbers(304, 403));
});
