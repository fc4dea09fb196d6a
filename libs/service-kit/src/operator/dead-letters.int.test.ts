import { listDeadLetters, retryDeadLetter } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import { defineReactor } from '@parley/processing';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countNotes, notesService, takeNote } from '../notes-service.fixture.ts';
import type { ServiceDefinition } from '../service-definition.ts';

/** What the reactor comes up against. */
const ailment: { error: Error | undefined; hang: Promise<void> | undefined } = {
  error: new Error('I cannot'),
  hang: undefined,
};

const ailingService: ServiceDefinition = {
  ...notesService,
  background: () => ({
    processors: [
      defineReactor({
        name: 'echo',
        handles: ['NoteTaken'],
        maxAttempts: 1,
        async react({ streamId, accountId }, { metadata }) {
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
