import type { SipTrunkEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { Secret } from '@parley/process-kit';
import { testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { created } from './created.fixture.ts';
import type { PasswordStore } from './password-store.ts';
import type { PlatformTrunks } from './platform-trunks.ts';
import { nothingInbound, sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';
import { callsCheck, lookAtCalls } from './trunk-check.ts';

const { id, phone_number: number } = created.data;
const waiting: SipTrunkEvent = { ...created, data: { ...created.data, inbound_trunk_id: nothingInbound } };

/** What comes of a look at a trunk that waits for calls that nobody has, and how often those were taken. */
async function look(password: Secret | undefined) {
  const store = createInMemoryEventStore();
  const stream = { streamId: sipTrunkStream(id), category: sipTrunkCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: [waiting], expectedVersion: 0 });
  let taken = 0;
  const platform: Partial<PlatformTrunks> = {
    callsOf: async () => ({ kind: 'ok', value: 'of nobody' }),
    replaceKnown: async () => ({ kind: 'ok', value: false }),
    remove: async () => null,
    async takeCalls() {
      taken += 1;
      return { kind: 'ok', value: 'ST_9' };
    },
  };
  const passwords: Partial<PasswordStore> = { find: async () => password };
  const handler = lookAtCalls({
    ...{ aggregates: new Aggregates(store), clock: { now: () => store.now() }, store },
    passwords: passwords as PasswordStore,
    platform: platform as PlatformTrunks,
  });
  const { due: _, ...timer } = callsCheck({ id, accountId: 3, number }, 'request-1');
  const append = await handler({ ...timer, dueAt: '2026-11-21T09:30:00.000Z' }, { store, metadata });
  return { append, taken };
}

test('a trunk takes the calls that nobody has, and puts that on record where it was not changed meanwhile', async () => {
  const { append, taken } = await look(new Secret('secret'));
  expect(append).toMatchObject({
    events: [{ type: 'SipTrunkInboundChanged', data: { inbound_trunk_id: 'ST_9' } }],
    expectedVersion: 1,
  });
  expect([append?.timers, taken]).toEqual([undefined, 1]);
});

test('a trunk whose password is not known here, as after an import, takes none, and looks again', async () => {
  const { append, taken } = await look(undefined);
  expect(append).toMatchObject({
    events: [],
    timers: [{ kind: 'sip-trunk-calls', due: { afterMs: 60_000 } }],
  });
  expect(taken).toBe(0);
});
