import { advanceClock, listReactors } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import type { RecordedEvent } from '@parley/event-store';
import { defineReactor, type EventSource, ownLog } from '@parley/processing';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notesService, takeNote } from '../notes-service.fixture.ts';
import type { ServiceDefinition } from '../service-definition.ts';

const { promise: hang, resolve: goOn } = Promise.withResolvers<void>();

/** Telephony's log, of which nothing is done yet. */
const calls: EventSource['read'] = async ({ after }) => {
  const recordedAt = new Date(Date.now() - 60_000).toISOString();
  const call = { position: 5, eventId: 'e', type: 'CallEnded', streamId: 'call-5', accountId: 7, recordedAt };
  return { events: after < 5 ? [call as RecordedEvent] : [], head: 9, reached: after };
};
const broken: EventSource['read'] = () => Promise.reject(new Error('The log ends too early'));

const service: ServiceDefinition = {
  ...notesService,
  background: ({ store }) => {
    const of = (name: string, read: EventSource['read']): EventSource => ({
      ...{ ...ownLog(store), service: name, read },
    });
    const react = () => undefined;
    return {
      reactors: [
        defineReactor({ name: 'echo', handles: ['NoteTaken'], react: () => hang.then(() => undefined) }),
        defineReactor({ name: 'calls', handles: ['CallEnded'], source: of('telephony', calls), react }),
        defineReactor({ name: 'broken', handles: ['Any'], source: of('messaging', broken), react }),
      ],
    };
  },
};

let copies: ServiceCopies;
let metricsUrl: string;
beforeAll(async () => {
  const port = await findFreePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  copies = await startServiceCopies(service, 1, { HEALTH_PORT: String(port) });
});
afterAll(async () => {
  goOn();
  await copies?.close();
});

const reactor = async (wanted: string) =>
  (await copies.ask(listReactors, {})).reactors.find(({ name }) => name === wanted);

async function metric(unit: string, name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(
    new RegExp(`^parley_reactor_lag_${unit}\\{reactor="${name}".*\\} (.*)$`, 'm').exec(text)?.[1],
  );
}

test('a reactor that hangs tells at which event it stands, since when, and how far it is behind', async () => {
  expect(await reactor('echo')).toMatchObject({ follows: null, head: 0, next: null, lag_seconds: 0 });
  for (const id of [1, 2, 3]) await copies.ask(takeNote, { id, text: 'x' }, { accountId: 7 });
  await copies.ask(advanceClock, { offset_seconds: 600 });
  const echo = await reactor('echo');
  expect(echo).toMatchObject({
    position: 0,
    head: 3,
    next: { position: 1, type: 'NoteTaken', stream_id: 'note-1', account_id: 7 },
  });
  expect(echo?.lag_seconds).toBeGreaterThanOrEqual(600);
  expect(await metric('events', 'echo')).toBe(3);
  expect(await metric('seconds', 'echo')).toBeGreaterThanOrEqual(600);
  goOn();
  await eventually(async () => expect(await metric('events', 'echo')).toBe(0));
  expect([await metric('seconds', 'echo'), (await reactor('echo'))?.next]).toEqual([0, null]);
});

test('how far behind another service’s log a reactor is shows as well, and why it cannot be read', async () => {
  expect(await reactor('calls')).toMatchObject({
    follows: 'telephony',
    position: 0,
    head: 9,
    next: { position: 5 },
  });
  expect(await metric('events', 'calls')).toBe(9);
  expect(await reactor('broken')).toMatchObject({
    follows: 'messaging',
    next: null,
    error: expect.stringContaining('The log ends too early'),
  });
  expect(await metric('events', 'broken')).toBeNaN();
});
