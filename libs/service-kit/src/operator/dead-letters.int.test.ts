import { randomUUID } from 'node:crypto';
import { listDeadLetters, retryDeadLetter } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import type { RecordedEvent } from '@parley/event-store';
import { defineReactor, type EventSource, ownLog } from '@parley/processing';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countNotes, notesService, takeNote } from '../notes-service.fixture.ts';
import type { ServiceDefinition } from '../service-definition.ts';

/** What the reactor comes up against. */
const ailment: { error: Error | undefined; hang: Promise<void> | undefined } = {
  error: new Error('I cannot'),
  hang: undefined,
};
/** How often it has begun. */
let reactions = 0;

const note = {
  position: 5,
  eventId: randomUUID(),
  type: 'CallEnded',
  streamId: 'call-5',
  accountId: 7,
} as RecordedEvent;
/** Another service's log: with an event that is asked for by its position. */
const ofOthers: Pick<EventSource, 'read'> = {
  read: async ({ after, positions = [] }) => {
    if (positions.includes(666)) return { events: [], head: after, reached: after };
    return { events: positions.includes(5) ? [note] : [], head: 9, reached: 9 };
  },
};

const ailingService: ServiceDefinition = {
  ...notesService,
  background: ({ store }) => ({
    reactors: [
      defineReactor({
        name: 'of-others',
        handles: [],
        source: { ...ownLog(store), read: (wanted) => ofOthers.read(wanted) },
        react: () => undefined,
      }),
      defineReactor({
        name: 'echo',
        handles: ['NoteTaken'],
        maxAttempts: 1,
        async react({ streamId, accountId }, { metadata }) {
          reactions += 1;
          await ailment.hang;
          if (ailment.error) throw ailment.error;
          const about = { streamId: streamId.replace('note', 'echo'), category: 'echo', accountId, metadata };
          return { ...about, events: [{ type: 'NoteEchoed', data: {} }], expectedVersion: 'any' };
        },
      }),
    ],
  }),
};

let copies: ServiceCopies;
let metricsUrl: string;
beforeAll(async () => {
  const port = await findFreePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  copies = await startServiceCopies(ailingService, 1, { HEALTH_PORT: String(port) });
  await copies.ask(takeNote, { id: 1, text: 'x' }, { accountId: 7 });
  await eventually(async () => expect(await listed()).toHaveLength(1));
});
afterAll(() => copies?.close());

const listed = async () => (await copies.ask(listDeadLetters, { after: 0, limit: 25 })).dead_letters;
const retry = async () => copies.send(retryDeadLetter, { id: (await listed())[0]?.id ?? 1 });

test('what cannot be done just now is told with the reason, and stays as it was', async () => {
  const before = await listed();
  ailment.error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(await retry()).toMatchObject({
    kind: 'rejected',
    rejection: { code: 'unavailable', message: 'It could not be done now: connect ECONNREFUSED' },
  });
  expect(await listed()).toEqual(before);
});

test('what is being tried is not tried a second time beside that', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  ailment.hang = promise;
  reactions = 0;
  const first = retry();
  await eventually(() => expect(reactions).toBe(1));
  expect(await retry()).toMatchObject({
    kind: 'rejected',
    rejection: { code: 'unavailable', message: 'It is being tried at this moment.' },
  });
  expect(reactions).toBe(1);
  resolve();
  expect(await first).toMatchObject({ rejection: { message: expect.stringMatching('could not be done') } });
  expect(await retry()).toMatchObject({ rejection: { message: expect.stringMatching('could not be done') } });
});

test('what is put right is done once, and gone', async () => {
  ailment.error = undefined;
  expect(await retry()).toEqual(expect.objectContaining({ kind: 'ok', body: '{"outcome":"done"}' }));
  expect(await retry()).toMatchObject({ kind: 'rejected', rejection: { code: 'not_found' } });
  expect(await copies.ask(countNotes, {})).toMatchObject({ echoes: 1 });
  expect(await listed()).toEqual([]);
});

test('a reactor that neither ends nor fails shows in the metrics', async () => {
  const seconds = async () => {
    const text = await (await fetch(metricsUrl)).text();
    return Number(/^parley_reactor_event_seconds\{reactor="echo".*\} (.*)$/m.exec(text)?.[1]);
  };
  expect(await seconds()).toBe(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  ailment.hang = promise;
  await copies.ask(takeNote, { id: 2, text: 'x' }, { accountId: 7 });
  await eventually(async () => expect(await seconds()).toBeGreaterThan(0.2));
  resolve();
  await eventually(async () => expect(await seconds()).toBe(0));
});

test('what is known of another service’s event is told where that service answers', async () => {
  const giveUp = (position: number) =>
    copies.pool.query(
      `insert into es.dead_letters (processor, position, event_id, error, attempts)
       values ('reactor:of-others', $1, $2, 'x', 5)`,
      [position, note.eventId],
    );
  await giveUp(5);
  const event = { type: 'CallEnded', stream_id: 'call-5', account_id: 7 };
  expect(await listed()).toContainEqual(expect.objectContaining({ position: 5, event }));
  await giveUp(666);
  expect(await listed()).toContainEqual(expect.objectContaining({ position: 666, event: null }));
});
