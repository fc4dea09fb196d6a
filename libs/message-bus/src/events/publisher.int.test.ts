import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { eventually, startOwnNats } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connection, uniqueService } from '../bus.fixture.ts';
import { EventLog } from './event-log.fixture.ts';
import { createEventPublisher } from './publisher.ts';
import { expected, publish, stored } from './publishing.fixture.ts';

test('every event of the log reaches the stream once, in order, as a CloudEvent', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(700);
  const live: string[] = [];
  nats.subscribe(`evt.${service}.folder.FolderCreated`, {
    callback: (_error, message) => void live.push(message.string()),
  });
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(700));
  log.append(50);
  await eventually(() => expect(publisher.position).toBe(750));
  expect(await stored(nats, service)).toEqual(expected(log));
  expect(live.map((body) => JSON.parse(body))).toEqual(log.events);
  const manager = await jetstreamManager(nats, { checkAPI: false });
  const message = await manager.streams.getMessage(`EVT_${service.toUpperCase()}`, { seq: 3 });
  const event = log.events[2];
  expect(
    Object.fromEntries([...(message?.header ?? [])].map(([name, [value]]) => [name, value])),
  ).toMatchObject({
    'ce-specversion': '1.0',
    'ce-id': event?.event_id,
    'ce-source': `/parley/${service}`,
    'ce-type': 'FolderCreated',
    'ce-subject': event?.stream_id,
    'ce-time': event?.recorded_at,
    'ce-datacontenttype': 'application/json',
  });
});

test('what is delivered is sent without reading the log; what other processes appended is read', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(10);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(10));
  const isAllSent = () => eventually(() => expect(publisher.position).toBe(log.events.length));
  // Every ten seconds, perhaps just then, it looks whether it has missed something.
  await eventually(async () => {
    const reads = log.reads.length;
    log.append(5);
    await isAllSent();
    expect(log.reads).toHaveLength(reads);
  });
  log.deliversEvents = false;
  log.append(5);
  await isAllSent();
  log.append(5);
  log.deliversEvents = true;
  log.append(5);
  await isAllSent();
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('publishers that take turns or work at the same time bring nothing out of order', async () => {
  const service = uniqueService();
  const log = new EventLog();
  log.append(300);
  const nats = await connection();
  const publishers = [publish(nats, service, log), publish(await connection(), service, log)];
  for (let n = 0; n < 30; n += 1) {
    log.append(10);
    await new Promise(setImmediate);
  }
  await eventually(() => expect(publishers.map(({ position }) => position)).toEqual([600, 600]));
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('a publisher that ends in the middle loses nothing', async () => {
  const service = uniqueService();
  const log = new EventLog();
  log.append(5000);
  const first = await connection();
  const publisher = publish(first, service, log);
  await eventually(() => expect(publisher.position).toBeGreaterThan(0), undefined, 1);
  await first.close();
  const nats = await connection();
  const successor = publish(nats, service, log);
  await eventually(() => expect(successor.position).toBe(5000));
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('a stream that was lost is sent again under the same ids', async () => {
  const service = uniqueService();
  const own = await startOwnNats();
  onTestFinished(() => own.stop());
  const nats = await connection(own.url);
  const log = new EventLog();
  log.append(120);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(120));
  await own.kill();
  await own.deleteStorage();
  log.append(5);
  await own.start();
  await eventually(() => expect(publisher.position).toBe(125));
  log.append(5);
  await eventually(() => expect(publisher.position).toBe(130));
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('an empty stream gets as much of a long log as it can hold, and nothing that it would drop at once', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(1_000);
  const sent: number[] = [];
  nats.subscribe(`evt.${service}.>`, {
    callback: (_error, message) => void sent.push(Number(message.headers?.get('parley-position'))),
  });
  await nats.flush();
  const maxBytes = 100 * 1024;
  const publisher = createEventPublisher({
    connection: nats,
    service,
    readPage: log.readPageAndHead,
    onAppended: log.onAppended,
    maxBytes,
  });
  onTestFinished(() => publisher.close());
  await eventually(() => expect(publisher.position).toBe(1_000));
  await eventually(() => expect(sent.at(-1)).toBe(1_000));
  const kept = (await stored(nats, service)).map(({ position }) => position);
  expect(sent).toHaveLength(200);
  expect(kept).toEqual(sent.slice(-kept.length));
  expect(kept.length).toBeLessThan(sent.length);
  const manager = await jetstreamManager(nats, { checkAPI: false });
  const { state } = await manager.streams.info(`EVT_${service.toUpperCase()}`);
  expect(state.bytes / state.messages).toBeGreaterThan(512);
});

test('a stream of another log is filled anew', async () => {
  const service = uniqueService();
  const nats = await connection();
  const before = new EventLog();
  before.append(30);
  const old = publish(nats, service, before);
  await eventually(() => expect(old.position).toBe(30));
  await old.close();
  const restored = new EventLog();
  restored.append(20);
  const publisher = publish(nats, service, restored);
  await eventually(() => expect(publisher.position).toBe(20));
  expect(await stored(nats, service)).toEqual(expected(restored));
});

test('a stream deleted while it is in use is made again and filled', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(30);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(30));
  const manager = await jetstreamManager(nats, { checkAPI: false });
  await manager.streams.delete(`EVT_${service.toUpperCase()}`);
  log.append(5);
  await eventually(() => expect(publisher.position).toBe(35));
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('a stream remembers message ids for a second only, also one that was made before', async () => {
  const service = uniqueService();
  const nats = await connection();
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const name = `EVT_${service.toUpperCase()}`;
  await streams.add({ name, subjects: [`evt.${service}.>`], max_bytes: 16 * 1024 * 1024 });
  const log = new EventLog();
  log.append(10);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(10));
  expect((await streams.info(name)).config.duplicate_window).toBe(nanos(1_000));
});

test('an event that NATS does not carry holds up no other, and is reported', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(3);
  const [large] = log.append(1, { text: 'x'.repeat(1_100_000) });
  log.append(3);
  const errors: string[] = [];
  const publisher = createEventPublisher({
    connection: nats,
    service,
    readPage: log.readPageAndHead,
    onAppended: log.onAppended,
    onError: (error) => errors.push(String(error)),
  });
  onTestFinished(() => publisher.close());
  await eventually(() => expect(publisher.position).toBe(7));
  expect((await stored(nats, service)).map(({ position }) => position)).toEqual([1, 2, 3, 5, 6, 7]);
  expect(errors).toEqual([expect.stringContaining(large?.event_id ?? '')]);
});

test('a foreign message on its subjects costs no event, and does not make it send the log again', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(30);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(30));
  nats.publish(`evt.${service}.by.hand`, 'hello');
  await nats.flush();
  log.append(5);
  await eventually(() => expect(publisher.position).toBe(35));
  const positions = (await stored(nats, service)).map(({ position }) => position);
  expect(positions.filter((position) => position > 0)).toEqual(log.events.map(({ position }) => position));
});

test('a publisher that lost its ownership stops, and goes on when it has it again', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(10);
  const grants: AbortController[] = [];
  let isFree = true;
  const publisher = publish(nats, service, log, {
    acquire: () =>
      eventually(() => {
        if (!isFree) throw new Error('taken');
        const lost = new AbortController();
        grants.push(lost);
        return { lost: lost.signal, release: async () => undefined };
      }),
  });
  await eventually(() => expect(publisher.position).toBe(10));
  isFree = false;
  grants[0]?.abort();
  log.append(10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(publisher.position).toBe(10);
  isFree = true;
  await eventually(() => expect(publisher.position).toBe(20));
});

test('whoever is told of failures hears why JetStream takes nothing, and once that it goes on', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(10);
  const told: string[] = [];
  const publisher = publish(nats, service, log, {
    onFailure: (error) => told.push(String(error)),
    onRecovered: () => told.push('recovered'),
  });
  await eventually(() => expect(publisher.position).toBe(10));
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const name = `EVT_${service.toUpperCase()}`;
  await streams.update(name, { max_msgs: 10, discard: 'new' });
  log.append(5);
  await eventually(() => expect(told.length).toBeGreaterThan(2));
  await eventually(() =>
    expect(told.slice(-2)).toEqual(Array(2).fill('JetStreamApiError: maximum messages exceeded')),
  );
  expect(publisher.position).toBe(10);
  await streams.update(name, { max_msgs: -1 });
  await eventually(() => expect(publisher.position).toBe(15));
  log.append(5);
  await eventually(() => expect(publisher.position).toBe(20));
  expect(told.filter((what) => what === 'recovered')).toHaveLength(1);
  expect(told.at(-1)).toBe('recovered');
  expect(await stored(nats, service)).toEqual(expected(log));
});

test('a publisher that ends while JetStream takes nothing leaves that to others, and does not say that it goes on', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(10);
  const told: string[] = [];
  const publisher = publish(nats, service, log, {
    onFailure: () => told.push('failure'),
    onRecovered: () => told.push('recovered'),
    onLeft: () => told.push('left'),
  });
  await eventually(() => expect(publisher.position).toBe(10));
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  await streams.update(`EVT_${service.toUpperCase()}`, { max_msgs: 10, discard: 'new' });
  log.append(5);
  await eventually(() => expect(told).toContain('failure'));
  await publisher.close();
  expect(new Set(told)).toEqual(new Set(['failure', 'left']));
});
