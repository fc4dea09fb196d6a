import { queryObjects } from 'node:v8';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { connection, uniqueService } from './bus.fixture.ts';
import { EventLog } from './event-log.fixture.ts';
import { publish } from './publishing.fixture.ts';

test('a publisher keeps nothing of what it waited for, on a connection that is never lost', async () => {
  const nats = await connection();
  const log = new EventLog();
  const publisher = publish(nats, uniqueService(), log);
  const publishOneByOne = async (pages: number) => {
    for (let page = 0; page < pages; page += 1) {
      log.append(1);
      await eventually(() => expect(publisher.position).toBe(log.events.length), 5_000, 1);
    }
  };
  await publishOneByOne(20);
  const before = queryObjects(Promise, { format: 'count' });
  await publishOneByOne(200);
  expect(queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(50);
});
