import { operatorSubject, readEvents } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { connectToBus, createBusClient, listenToEvents } from '@parley/message-bus';
import { BusServer } from '@parley/message-bus/nest';
import type { EventSource } from '@parley/processing';
import { eventually, type ServiceCopies, startOwnNats, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { notesService, takeNote } from '../notes-service.fixture.ts';
import { eventsOfService } from './events-of-service.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(notesService, 1);
});
afterAll(() => copies?.close());

const connect = async () => {
  const connection = await connectToBus({ servers: copies.natsUrl, name: 'follower' });
  onTestFinished(() => connection.close());
  return { connection, bus: createBusClient(connection) };
};

/** Page by page, up to the head. */
async function readToEnd(source: EventSource, types?: readonly string[]) {
  const events: RecordedEvent[] = [];
  for (let after = 0; ; ) {
    const page = await source.read({ after, limit: 500, ...(types && { types }) });
    events.push(...page.events);
    if (page.reached >= page.head) return { events, head: page.head };
    after = page.reached;
  }
}

test('a service that is not there looks as if nothing were new', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'telephony');
  expect(source.service).toBe('telephony');
  expect(await source.read({ after: 0, limit: 10 })).toEqual({ events: [], head: 0, reached: 0 });
  expect(await source.read({ after: 7, limit: 10 })).toEqual({ events: [], head: 7, reached: 7 });
});

test('a service that says nothing, or that its database is away, looks as if nothing were new', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const connection = await connectToBus({ servers: nats.url, name: 'follower' });
  onTestFinished(() => connection.close());
  const silent: string[] = [];
  connection.subscribe('mux.telephony', { callback: (_error, { subject }) => void silent.push(subject) });
  const failing = new BusServer({ service: 'accounts', connection });
  failing.addHandler(operatorSubject('accounts', readEvents), async () => ({
    kind: 'rejected',
    rejection: { code: 'unavailable', retryAfterSeconds: 1 },
  }));
  await new Promise((resolve) => failing.listen(resolve));
  const bus = createBusClient(connection);
  const read = (service: 'accounts' | 'telephony') =>
    eventsOfService(connection, bus, service).read({ after: 7, limit: 10 });
  expect(await read('accounts')).toEqual({ events: [], head: 7, reached: 7 });
  const unanswered = read('telephony');
  await eventually(() => expect(silent).toHaveLength(1));
  await nats.kill();
  expect(await unanswered).toEqual({ events: [], head: 7, reached: 7 });
});

test('a log that ends before what was read of it, as a restored one may, is no log without news', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  await expect(source.read({ after: 1_000_000, limit: 10 })).rejects.toThrow(
    /^The log of assistants ends at \d+, before 1000000/,
  );
});

test('a page that was cut to what a message holds is read to its end', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  await copies.pool.query(`
    insert into es.events
    select n, now(), 1, gen_random_uuid(), n, 1, 'note-9', 'note', 'NoteTaken',
      jsonb_build_object('text', repeat('x', 20000)), '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from generate_series((select position + 1 from es.head), (select position + 60 from es.head)) n`);
  await copies.pool.query('update es.head set position = position + 60');
  const first = await source.read({ after: 0, limit: 500 });
  expect(first.events.length).toBeLessThan(60);
  expect(first.reached).toBe(first.events.length);
  const { events } = await readToEnd(source, ['NoteTaken']);
  expect(events).toHaveLength(60);
  expect((await source.read({ after: 5, limit: 9 })).events.map(({ position }) => position)).toEqual(
    Array.from({ length: 9 }, (_, index) => index + 6),
  );
  expect(events[0]).toMatchObject({
    streamId: 'note-9',
    category: 'note',
    accountId: 1,
    type: 'NoteTaken',
    metadata: { correlationId: 'a', actor: { kind: 'system', id: 'c' } },
  });
});

test('of a long log a part is looked through at a time, and all that is asked for is found', async () => {
  const long = await startServiceCopies(notesService, 1);
  onTestFinished(() => long.close());
  const connection = await connectToBus({ servers: long.natsUrl, name: 'follower' });
  onTestFinished(() => connection.close());
  // As if millions of events lay between them.
  await long.pool.query(`
    insert into es.events
    select position, now(), 1, gen_random_uuid(), position / 1000000, 1, 'note-9', 'note', 'NoteTaken',
      '{"text":"x"}', '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from unnest(array[1000000, 3000000]) position`);
  await long.pool.query(`update es.head set position = 4000000, views = '{}'`);
  const page = async (after: number) => {
    const { events, head, reached } = readEvents.output.parse(
      await long.ask(readEvents, { after, limit: 10, types: ['NoteTaken'] }),
    );
    expect(head).toBeGreaterThanOrEqual(4_000_000);
    return { found: events.map(({ position }) => position), reached: Math.min(reached ?? 0, 4_000_000) };
  };
  expect(await page(0)).toEqual({ found: [], reached: 250_000 });
  expect(await page(999_999)).toEqual({ found: [1_000_000], reached: 1_249_999 });
  expect(await page(3_900_000)).toEqual({ found: [], reached: 4_000_000 });
  const known = await long.ask(readEvents, { after: 0, limit: 10, positions: [1_000_000, 3_000_000] });
  expect(known).toMatchObject({ events: [{ position: 1_000_000 }, { position: 3_000_000 }] });
  const source = eventsOfService(connection, createBusClient(connection), 'assistants');
  const { events } = await readToEnd(source, ['NoteTaken']);
  expect(events.map(({ position }) => position)).toEqual([1_000_000, 3_000_000]);
});

test('an event at a known position is read alone', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  const [first, second] = (await readToEnd(source)).events;
  const { events } = await source.read({ after: 0, limit: 10, positions: [second?.position ?? 0] });
  expect(first?.position).toBe(1);
  expect(events).toEqual([second]);
});

test('who follows a few types reads them to the head, and hears of nothing else', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  await copies.ask(takeNote, { id: 34, text: 'hello' });
  const all = await readToEnd(source);
  const none = await readToEnd(source, ['NoteBurnt']);
  expect(none.events).toEqual([]);
  expect(none.head).toBeGreaterThanOrEqual(all.head);
  const taken = await readToEnd(source, ['NoteTaken', 'NoteBurnt']);
  expect(taken.events).toEqual(all.events.filter(({ type }) => type === 'NoteTaken'));
  expect(taken.events.length).toBeGreaterThan(0);
  const heard: string[] = [];
  const listen = (type: string) =>
    source.subscribe(0, (events) => heard.push(`${type} ${events.length}`), [type]);
  const subscriptions = [listen('NoteBurnt'), listen('NoteTaken')];
  await connection.flush();
  await copies.ask(takeNote, { id: 35, text: 'hello' });
  // What was taken before may be heard of as late.
  await eventually(() => expect(new Set(heard)).toEqual(new Set(['NoteTaken 0'])));
  for (const subscription of subscriptions) subscription.close();
});

test('what was written at an earlier version is read and heard of at the newest', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  const heard: object[] = [];
  const listener = listenToEvents(connection, 'assistants', (event) => {
    if (event.type === 'WebhookDisabled') heard.push(event);
  });
  await connection.flush();
  await copies.pool.query(`with head as (
      update es.head set position = position + 1, views = '{}' returning position
    )
    insert into es.events
    select position, now(), 1, gen_random_uuid(), 1, 1, 'assistant-77', 'assistant', 'WebhookDisabled',
      '{"webhook_url":null}', '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from head`);
  const data = { webhook_url: null, reason: null };
  const { events } = await readToEnd(source, ['WebhookDisabled']);
  expect(events).toMatchObject([{ schemaVersion: 3, data }]);
  await eventually(() => expect(heard).toMatchObject([{ schema_version: 3, data }]));
  listener.close();
});

test('an event in a version of a newer release is waited at, and those before it are read', async () => {
  const { connection, bus } = await connect();
  const source = eventsOfService(connection, bus, 'assistants');
  const before = await readToEnd(source);
  const types = ['WebhookDisabled', 'FolderCreated'];
  await copies.pool.query(`with head as (
      update es.head set position = position + 2, views = '{}' returning position
    )
    insert into es.events
    select head.position - 2 + n, now(), 1, gen_random_uuid(), n, case n when 1 then 1 else 99 end, 'folder-77', 'folder',
      'FolderCreated', '{}', '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from head, generate_series(1, 2) n`);
  const last = before.head + 1;
  const page = await source.read({ after: before.head, limit: 10, types });
  expect(page).toMatchObject({ events: [{ position: last, type: 'FolderCreated' }], reached: last });
  await expect(source.read({ after: last, limit: 10, types })).rejects.toThrow(
    `A newer release of assistants has recorded FolderCreated in version 99, at position ${last + 1}`,
  );
});
