import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connection, uniqueService } from '../bus.fixture.ts';
import { EventLog } from './event-log.fixture.ts';
import { publishAgain } from './publish-again.ts';
import { publishedPosition } from './published-position.ts';
import { createEventPublisher } from './publisher.ts';
import { expected, publish, stored } from './publishing.fixture.ts';
import { subscribeToEvents } from './subscriber.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('sent again from a position, all that follows is in the stream a second time, under the same event ids', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(700);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(700));
  const handled: number[] = [];
  const subscription = subscribeToEvents({
    connection: nats,
    service,
    after: 700,
    readPage: log.readPageAndHead,
    async handle(events) {
      handled.push(...events.map(({ position }) => position));
    },
  });
  onTestFinished(() => subscription.close());
  await publishAgain(nats, service, 11);
  log.append(3);
  await eventually(async () =>
    expect(await publishedPosition(nats, service)).toEqual({ position: 703, sequence: 1393 }),
  );
  const all = await stored(nats, service);
  const again = all.slice(700, 1390);
  expect(all.map(({ position }) => position)).toEqual([
    ...range(1, 700),
    ...range(11, 700),
    ...range(701, 703),
  ]);
  // JetStream drops known message ids: those of this time have a mark, the events' own ids stay what they are.
  expect(again.map(({ id }) => id.split('/')[0])).toEqual(
    log.events.slice(10, 700).map(({ event_id }) => event_id),
  );
  expect(new Set(again.map(({ id }) => id.split('/')[1])).size).toBe(1);
  expect(all.slice(1390)).toEqual(expected(log).slice(700));
  // Who had them already does not handle them twice.
  await eventually(() => expect(handled).toEqual([701, 702, 703]));
});

test('what is sent again is sent to its end, also when the publisher dies in the midst of it', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(1200);
  const first = publish(nats, service, log);
  await eventually(() => expect(first.position).toBe(1200));
  await publishAgain(nats, service, 1);
  await eventually(() => expect(first.position).toBeLessThan(1200));
  await first.close();
  const second = publish(nats, service, log);
  await eventually(() => expect(second.position).toBe(1200));
  const positions = (await stored(nats, service)).map(({ position }) => position);
  expect(positions).toEqual([...range(1, 1200), ...range(1, 1200)]);
});

test('what is asked for while events come in is sent again, each from where it was asked', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  const publisher = publish(nats, service, log);
  const wanted: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const from = log.events.length + 1;
    log.append(600);
    await eventually(() => expect(publisher.position).toBeGreaterThanOrEqual(from), undefined, 1);
    await Promise.all([from, from + 100].map((position) => publishAgain(nats, service, position)));
    wanted.push(from);
  }
  await eventually(() => expect(publisher.position).toBe(1800));
  const positions = (await stored(nats, service)).map(({ position }) => position);
  for (const from of wanted)
    expect(positions.filter((position) => position === from).length).toBeGreaterThan(1);
});

test('once it has answered, the stream has gone back', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(5000);
  const publisher = publish(nats, service, log);
  await eventually(() => expect(publisher.position).toBe(5000));
  await publishAgain(nats, service, 1);
  expect((await publishedPosition(nats, service)).position).toBeLessThan(5000);
  await eventually(() => expect(publisher.position).toBe(5000));
});

test('what was not begun is forgotten with the ownership', async () => {
  const service = uniqueService();
  const nats = await connection();
  const log = new EventLog();
  log.append(10);
  const grants: AbortController[] = [];
  let gate: PromiseWithResolvers<void> | undefined;
  let isHeld = false;
  const publisher = createEventPublisher({
    connection: nats,
    service,
    async readPage(after, limit) {
      isHeld = gate !== undefined;
      await gate?.promise;
      return log.readPageAndHead(after, limit);
    },
    onAppended: log.onAppended,
    async acquire() {
      const lost = new AbortController();
      grants.push(lost);
      return { lost: lost.signal, release: async () => undefined };
    },
  });
  onTestFinished(() => publisher.close());
  await eventually(() => expect(publisher.position).toBe(10));
  gate = Promise.withResolvers();
  const refused = expect(publishAgain(nats, service, 1)).rejects.toThrow('Nobody publishes');
  await eventually(() => expect(isHeld).toBe(true));
  grants[0]?.abort();
  gate.resolve();
  gate = undefined;
  log.append(5);
  await eventually(() => expect(publisher.position).toBe(15));
  expect(await stored(nats, service)).toEqual(expected(log));
  await refused;
});

test('nobody answers for a log that nobody publishes', async () => {
  await expect(publishAgain(await connection(), uniqueService(), 1)).rejects.toThrow('Nobody publishes');
});
