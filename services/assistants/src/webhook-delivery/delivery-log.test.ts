import type { WebhookDeliveryEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { failed, started, url } from './delivery.fixture.ts';
import { deliveryCategory, deliveryStream } from './delivery.ts';
import { loadDelivery } from './delivery-log.ts';

const askedAgain: WebhookDeliveryEvent = { type: 'WebhookRedeliveryRequested', data: { url } };

/** A delivery's log that counts what is read of it. */
function countedLog() {
  const store = createInMemoryEventStore();
  const readStream = store.readStream.bind(store);
  let read = 0;
  store.readStream = async (...of) => {
    const events = await readStream(...of);
    read += events.length;
    return events;
  };
  return {
    store,
    aggregates: new Aggregates(store),
    read: () => read,
    append: (...events: readonly WebhookDeliveryEvent[]) =>
      store.append({
        streamId: deliveryStream('msg_1'),
        category: deliveryCategory,
        accountId: 7,
        expectedVersion: 'any',
        metadata: testMetadata,
        events,
      }),
  };
}

test('an attempt reads what is new of its delivery, however often that was sent before', async () => {
  const { append, read, ...log } = countedLog();
  for (let attempt = 1; attempt <= 500; attempt += 1)
    await append(askedAgain, started(attempt), failed(attempt));
  expect(await loadDelivery(log, 'msg_1')).toMatchObject({ version: 1_500, startedAt: null });
  await append(askedAgain, started(501), failed(501));
  const before = read();
  expect(await loadDelivery(log, 'msg_1')).toMatchObject({ state: { attempts: 501 }, version: 1_503 });
  expect(read() - before).toBeLessThan(10);
});

test('an attempt under way began when the newest one did, whatever was asked for since', async () => {
  const { append, ...log } = countedLog();
  expect(await loadDelivery(log, 'msg_1')).toMatchObject({ version: 0, startedAt: null });
  await append(started(1), failed(1));
  const begun = await append(started(2));
  for (let times = 0; times < 100; times += 1) await append(askedAgain);
  const loaded = await loadDelivery(log, 'msg_1');
  expect(loaded).toMatchObject({ state: { underWay: { attempt: 2 } }, version: 103 });
  expect(begun).toMatchObject({ kind: 'appended', recordedAt: loaded.startedAt });
});
