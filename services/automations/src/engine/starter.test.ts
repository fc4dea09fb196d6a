import { type Actor, AppendQueueFull, createInMemoryEventStore, StoreUnavailable } from '@parley/event-store';
import { expect, test } from 'vitest';
import { automationStream } from '../automation/automation.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { compiledDefinition } from '../run/definition.fixture.ts';
import { runStream } from '../run/run.ts';
import type { AutomationStanding } from './ports.ts';
import { createRunStarter } from './starter.ts';

const minute = 60_000;
function starterOf(status: AutomationStanding['status'] = 'active') {
  const kept = new Set<string>();
  const payloads: PayloadStore = {
    async keep(_, all) {
      for (const { ref } of all) kept.add(ref);
    },
    read: async (_, refs) => refs.map(() => undefined),
    async discard(refs) {
      for (const ref of refs) kept.delete(ref);
    },
    erase: async () => undefined,
  };
  const clock = { now: Date.parse('2026-11-21T09:30:00Z') };
  const store = createInMemoryEventStore({ now: () => new Date(clock.now) });
  const definitionOf = (version: number) =>
    compiledDefinition(4, { version, steps: [] }, async () => ({ ok: true, output: {} }));
  const starter = createRunStarter({
    store,
    definitions: {
      load: async (_, version) => definitionOf(version),
      standing: async () => ({ accountId: 3, status, version: 2 }),
    },
    payloads,
  });
  const start = (eventId: string, chainDepth: number, payload = '', actor?: Actor) =>
    starter.start({
      automationId: 4,
      version: 1,
      trigger: { type: 'lead.created', eventId, payload },
      chainDepth,
      correlationId: 'request',
      ...(actor && { actor }),
    });
  const recorded = async () =>
    (await store.readStream(automationStream(4))).map(({ type, data, accountId, metadata }) => {
      const { reason, event_id: eventId } = Object(data);
      return [type, reason, eventId, accountId, metadata.correlationId];
    });
  const refuse = (eventId: string) =>
    starter.refuse(
      { automationId: 4, trigger: { type: 'webhook.inbound', eventId }, correlationId: 'request' },
      'not_signed',
    );
  return { clock, kept, store, start, recorded, refuse };
}

test('that too many runs led to an event, or that it is too large, is in the stream of the automation', async () => {
  const { start, recorded } = starterOf();
  expect(await start('deep', 8)).toMatchObject({ kind: 'started' });
  expect(await start('deeper', 9)).toEqual({ kind: 'refused', reason: 'chain_too_deep' });
  expect(await start('large', 0, 'a'.repeat(600_000))).toEqual({
    kind: 'refused',
    reason: 'payload_too_large',
  });
  expect(await recorded()).toEqual([
    ['AutomationTriggerRefused', 'chain_too_deep', 'deeper', 3, 'request'],
    ['AutomationTriggerRefused', 'payload_too_large', 'large', 3, 'request'],
  ]);
});

test('a loop puts one refusal an hour on record, however often it comes round', async () => {
  const { clock, start, recorded } = starterOf();
  for (let minutes = 0; minutes < 150; minutes += 1) {
    await start(`event-${minutes}`, 9);
    clock.now += minute;
  }
  expect((await recorded()).map(([, , eventId]) => eventId)).toEqual(['event-0', 'event-60', 'event-120']);
  const racing = starterOf();
  await Promise.all(Array.from({ length: 20 }, (_, n) => racing.start(`event-${n}`, 9)));
  expect(await racing.recorded()).toHaveLength(1);
});

test('a run follows the version that its event was held against, whatever was saved since', async () => {
  const { store, start } = starterOf();
  const started = await start('lead', 0);
  if (started.kind !== 'started') throw new Error('It is refused.');
  expect(await store.readStream(runStream(started.runId))).toMatchObject([{ data: { version: 1 } }]);
});

test('whoever asked for a run began it; an event has its automation do so', async () => {
  const { store, start } = starterOf();
  const actors = [{ kind: 'api_key', id: '7' } as const, undefined];
  for (const [index, actor] of actors.entries()) {
    const started = await start(`event-${index}`, 0, '', actor);
    if (started.kind !== 'started') throw new Error('It is refused.');
    expect(await store.readStream(runStream(started.runId))).toMatchObject([
      { metadata: { actor: actor ?? { kind: 'automation', id: '4' } } },
    ]);
  }
});

test.each([
  ['deleted', 'not_found'],
  ['inactive', 'inactive'],
] as const)('of an automation that is %s nothing begins, is kept or is recorded', async (status, reason) => {
  const { kept, start, recorded, refuse } = starterOf(status);
  for (const chainDepth of [0, 9])
    expect(await start('event', chainDepth)).toEqual({ kind: 'refused', reason });
  await refuse('unsigned');
  expect(await recorded()).toEqual([]);
  expect(kept.size).toBe(0);
});

test('an event of 512 KB starts a run, and one that is a byte larger does not', async () => {
  const { start } = starterOf();
  const largest = 512 * 1024 - '""'.length;
  expect(await start('largest', 0, 'a'.repeat(largest))).toMatchObject({ kind: 'started' });
  expect(await start('larger', 0, 'a'.repeat(largest + 1))).toMatchObject({ reason: 'payload_too_large' });
});

test('nobody waits for a note in the stream of an automation that others write without pause', async () => {
  const { store, start } = starterOf();
  const append = store.append.bind(store);
  let tries = 0;
  store.append = async (request) => {
    if (request.streamId !== automationStream(4)) return append(request);
    tries += 1;
    return { kind: 'conflict', actualVersion: 1 };
  };
  expect(await start('deep', 9)).toEqual({ kind: 'refused', reason: 'chain_too_deep' });
  expect(tries).toBeLessThan(10);
  expect(await start('shallow', 0)).toMatchObject({ kind: 'started' });
});

test('what a run that cannot begin was to work on is not kept, for nobody would ever erase it', async () => {
  const { kept, store, start } = starterOf();
  const begin = store.append.bind(store);
  for (const error of [new StoreUnavailable('not-written'), new AppendQueueFull('Too many.')]) {
    store.append = () => Promise.reject(error);
    await expect(start('order', 0)).rejects.toThrow(error);
    expect([...kept]).toEqual([]);
  }
  // The run may have begun, and would lack it.
  store.append = () => Promise.reject(new StoreUnavailable('unknown'));
  await expect(start('order', 0)).rejects.toThrow(StoreUnavailable);
  expect(kept.size).toBe(1);
  store.append = begin;
  expect([await start('call', 0), await start('call', 0)]).toMatchObject([
    { kind: 'started' },
    { kind: 'known' },
  ]);
  expect(kept.size).toBe(2);
});
