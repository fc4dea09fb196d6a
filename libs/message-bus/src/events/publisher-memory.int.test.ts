import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually, startOwnNats } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connection, uniqueService } from '../bus.fixture.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import { EventLog } from './event-log.fixture.ts';
import { createEventPublisher } from './publisher.ts';
import { publish } from './publishing.fixture.ts';

test('a publisher keeps nothing of what it waited for, on a connection that is never lost', async () => {
  const nats = await connection();
  const log = new EventLog();
  const publisher = publish(nats, uniqueService(), log);
  const publishOneByOne = async (pages: number) => {
    for (let page = 0; page < pages; page += 1) {
      log.append(1);
      await eventually(() => expect(publisher.position).toBe(log.events.length), undefined, 1);
    }
  };
  await publishOneByOne(20);
  const before = queryObjects(Promise, { format: 'count' });
  await publishOneByOne(200);
  expect(queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(50);
});

test('while NATS is away nothing of what is appended is kept, and all of it is published afterwards', async () => {
  const own = await startOwnNats();
  onTestFinished(() => own.stop());
  const nats = await connection(own.url);
  const log = new EventLog();
  const delivered: WeakRef<object>[] = [];
  const publisher = createEventPublisher({
    connection: nats,
    service: uniqueService(),
    readPage: log.readPageAndHead,
    onAppended: (deliver) =>
      log.onAppended((events) => {
        const copies = structuredClone(events);
        delivered.push(...copies.map((event) => new WeakRef(event)));
        deliver(copies);
      }),
  });
  onTestFinished(() => publisher.close());
  log.append(10);
  await eventually(() => expect(publisher.position).toBe(10));
  let isLost = false;
  watchConnection(nats, {
    onLost: () => {
      isLost = true;
    },
  });
  await own.kill();
  await eventually(() => expect(isLost).toBe(true));
  delivered.length = 0;
  log.append(50);
  // What a weak reference was made of is kept until its turn of the event loop is over.
  await new Promise(setImmediate);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(delivered).toHaveLength(50);
  expect(delivered.filter((event) => event.deref() !== undefined)).toEqual([]);
  await own.start();
  await eventually(() => expect(publisher.position).toBe(60));
});
