import { createHash } from 'node:crypto';
import { Controller, type Type } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { RecordedEventMessage } from '@parley/contracts';
import { eventually, startOwnNats } from '@parley/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { connection, ok, startClient, startService, uniqueService } from '../bus.fixture.ts';
import type { NatsConnection } from '../connection/connection.ts';
import type { BusReply } from '../wire/message.ts';
import { EventLog } from './event-log.fixture.ts';
import { eventSubject } from './event-message.ts';
import { createEventPublisher } from './publisher.ts';
import { type EventSubscription, type EventSubscriptionOptions, subscribeToEvents } from './subscriber.ts';

/** What a subscriber makes of its events: their ids in the order handled. */
class Consumer {
  readonly handled: RecordedEventMessage[] = [];
  readonly handle = async (events: readonly RecordedEventMessage[]) => {
    this.handled.push(...events);
  };
  get hash(): string {
    return createHash('sha256').update(JSON.stringify(this.handled)).digest('hex');
  }
}

function follow(options: EventSubscriptionOptions): EventSubscription {
  const subscription = subscribeToEvents(options);
  onTestFinished(() => subscription.close());
  return subscription;
}

/** Follows from the log's beginning, unless `more` says otherwise, and keeps what it is told. */
function consume(
  connection: NatsConnection,
  service: string,
  more: Partial<EventSubscriptionOptions> & Pick<EventSubscriptionOptions, 'readPage'>,
): { readonly consumer: Consumer; readonly subscription: EventSubscription } {
  const consumer = new Consumer();
  const subscription = follow({ connection, service, after: 0, handle: consumer.handle, ...more });
  return { consumer, subscription };
}

const announce = (nats: NatsConnection, service: string, event: RecordedEventMessage) =>
  nats.publish(eventSubject(service, event), JSON.stringify(event));

function eventPagesController(service: string, log: EventLog, pad = ''): Type {
  @Controller()
  class EventPagesController {
    @MessagePattern(`qry.${service}.read-events`)
    async read(@Payload() { after, limit }: { after: number; limit: number }): Promise<BusReply> {
      const page = await log.readPageAndHead(after, limit);
      return ok({
        ...page,
        events: page.events.map((event) => ({ ...event, data: { ...event.data, pad } })),
      });
    }
  }
  return EventPagesController;
}

test('events of an earlier version come at the newest, from pages and from an older publisher', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  const first = { type: 'BalanceReleased', schema_version: 1, data: { hold_id: 'h', amount_micros: 5 } };
  const [one, two] = new EventLog().append(2);
  if (!one || !two) throw new Error('There are two.');
  log.events.push({ ...one, ...first });
  await startService(service, [eventPagesController(service, log)]);
  const { consumer, subscription } = consume(nats, service, { readPage: await startClient() });
  await eventually(() => expect(subscription.position).toBe(1));
  announce(nats, service, { ...two, ...first, data: { hold_id: 'i', amount_micros: 0 } });
  await eventually(() => expect(subscription.position).toBe(2));
  expect(consumer.handled).toMatchObject([
    { schema_version: 2, data: { hold_id: 'h', effect: 'freed' } },
    { schema_version: 2, data: { hold_id: 'i', effect: 'barred' } },
  ]);
});

test('a subscriber reads what came before it by pages, then follows live events', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(2500);
  await startService(service, [eventPagesController(service, log)]);
  const { consumer, subscription } = consume(nats, service, {
    after: 10,
    readPage: await startClient(),
    pollMs: 600_000,
  });
  await eventually(() => expect(subscription.position).toBe(2500));
  expect(log.reads).toEqual([10, 1010, 2010]);
  for (const event of log.append(3)) announce(nats, service, event);
  await eventually(() => expect(subscription.position).toBe(2503));
  expect(log.reads).toHaveLength(3);
  expect(consumer.handled.map(({ position }) => position)).toEqual(
    Array.from({ length: 2493 }, (_, n) => n + 11),
  );
});

test('a gap is seen at the next event and filled by pages', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  const { consumer, subscription } = consume(nats, service, {
    readPage: log.readPageAndHead,
    pollMs: 600_000,
  });
  await eventually(() => expect(log.reads).toEqual([0]));
  const [first, , , last] = log.append(4);
  if (!first || !last) throw new Error('The log has four events.');
  announce(nats, service, first);
  await eventually(() => expect(subscription.position).toBe(1));
  announce(nats, service, last);
  await eventually(() => expect(subscription.position).toBe(4));
  expect(log.reads).toEqual([0, 1]);
  expect(consumer.handled).toEqual(log.events);
});

test('a subscriber that is far behind gets everything, however much is announced meanwhile', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(2_000);
  const isBetweenPages = Promise.withResolvers<void>();
  const isAnnounced = Promise.withResolvers<void>();
  const handled: number[] = [];
  const subscription = follow({
    connection: nats,
    service,
    after: 0,
    // Over the network, as from a service.
    readPage: (after, limit) => nats.flush().then(() => log.readPageAndHead(after, limit)),
    pollMs: 600_000,
    async handle(events) {
      handled.push(...events.map(({ position }) => position));
      if (handled.length < 1_000) return;
      isBetweenPages.resolve();
      await isAnnounced.promise;
    },
  });
  await isBetweenPages.promise;
  for (const event of log.append(12_000)) announce(nats, service, event);
  // Its own subscription has all of them when the server answers.
  await nats.flush();
  isAnnounced.resolve();
  await eventually(() => expect(subscription.position).toBe(14_000));
  expect(handled).toEqual(log.events.map(({ position }) => position));
});

test('events whose announcement was lost are found by looking', async () => {
  const service = uniqueService();
  const log = new EventLog();
  const nats = await connection();
  const { subscription } = consume(nats, service, { readPage: log.readPageAndHead, pollMs: 20 });
  log.append(3);
  await eventually(() => expect(subscription.position).toBe(3));
});

test('a page that NATS does not carry is asked for in smaller ones', async () => {
  const service = uniqueService();
  const log = new EventLog();
  log.append(20);
  await startService(service, [eventPagesController(service, log, 'x'.repeat(100_000))]);
  const { consumer, subscription } = consume(await connection(), service, { readPage: await startClient() });
  await eventually(() => expect(subscription.position).toBe(20));
  expect(consumer.handled).toHaveLength(20);
});

test('a handler that fails gets the same events again, and nothing else before', async () => {
  const service = uniqueService();
  const log = new EventLog();
  log.append(5);
  const calls: number[][] = [];
  const subscription = follow({
    connection: await connection(),
    service,
    after: 0,
    readPage: log.readPageAndHead,
    handle: async (events) => {
      calls.push(events.map(({ position }) => position));
      if (calls.length < 3) throw new Error('not yet');
    },
  });
  await eventually(() => expect(subscription.position).toBe(5));
  expect(calls).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
  ]);
});

test('every announcement three times and in any order gives the state of once and in order', async () => {
  const nats = await connection();
  const log = new EventLog();
  log.append(40);
  const once = new Consumer();
  await once.handle(log.events);
  const tripled = [...log.events, ...log.events, ...log.events];
  const all = fc.shuffledSubarray(tripled, { minLength: tripled.length });
  const deliveries = fc.oneof(all, fc.shuffledSubarray(tripled, { minLength: 1 }));
  let naiveDifferences = 0;
  await fc.assert(
    fc.asyncProperty(deliveries, async (events) => {
      const service = uniqueService();
      const naive = new Consumer();
      await naive.handle(events);
      if (naive.hash !== once.hash) naiveDifferences += 1;
      const consumer = new Consumer();
      const subscription = subscribeToEvents({
        connection: nats,
        service,
        after: 0,
        handle: consumer.handle,
        // What was announced can be read at that time; the rest is found by looking.
        readPage: log.readPageAndHead,
        pollMs: 10,
      });
      for (const event of events) announce(nats, service, event);
      await eventually(() => expect(subscription.position).toBe(40), undefined, 1);
      await nats.flush();
      await subscription.close();
      expect(consumer.hash).toBe(once.hash);
    }),
    { numRuns: 30 },
  );
  // The load is harsh enough: who handles as delivered ends up elsewhere.
  expect(naiveDifferences).toBe(30);
});

test('a subscriber survives the loss of the server and of all its storage', async () => {
  const service = uniqueService();
  const own = await startOwnNats();
  onTestFinished(() => own.stop());
  const log = new EventLog();
  log.append(50);
  const publisher = createEventPublisher({
    connection: await connection(own.url),
    service,
    readPage: log.readPageAndHead,
    onAppended: log.onAppended,
  });
  onTestFinished(() => publisher.close());
  const nats = await connection(own.url);
  const { consumer, subscription } = consume(nats, service, {
    // As over the bus: when a page comes, the server has the subscription that was sent before it was asked for.
    readPage: (after, limit) => nats.flush().then(() => log.readPageAndHead(after, limit)),
    pollMs: 600_000,
  });
  await eventually(() => expect(subscription.position).toBe(50));
  await own.kill();
  await own.deleteStorage();
  log.append(10);
  await own.start();
  await eventually(() => expect(subscription.position).toBe(60));
  log.append(10);
  await eventually(() => expect(subscription.position).toBe(70));
  expect(consumer.handled).toEqual(log.events);
});
