import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counted, removed, toCounter } from '../fixtures/counters.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import { startProcessors } from '../processors.ts';
import { startTimers } from '../timers/timers.ts';
import { defineProcessManager } from './process-manager.ts';

type ReminderEvent = {
  readonly type: 'ReminderSet' | 'Reminded' | 'ReminderDropped';
  readonly data: Record<string, never>;
};

/** Reminds of a counter some time after its first event, unless it is removed before. */
const reminders = (afterMs: number) =>
  defineProcessManager<'none' | 'waiting' | 'over', ReminderEvent>({
    name: 'reminders',
    category: 'reminder',
    handles: ['Counted', 'Removed'],
    timers: ['remind'],
    fold: {
      initialState: 'none',
      evolve: (_state, { type }) => (type === 'ReminderSet' ? 'waiting' : 'over'),
    },
    streamOf: (input) => {
      const of = input.kind === 'event' ? input.event.streamId : input.timer.id;
      return { streamId: `reminder-${of}`, accountId: 1 };
    },
    decide(state, input) {
      if (state === 'none' && input.kind === 'event' && input.event.type === 'Counted')
        return {
          events: [{ type: 'ReminderSet', data: {} }],
          timers: [{ id: input.event.streamId, kind: 'remind', due: { afterMs }, payload: { why: 'test' } }],
        };
      if (state !== 'waiting') return undefined;
      if (input.kind === 'timer') return { events: [{ type: 'Reminded', data: {} }] };
      if (input.event.type !== 'Removed') return undefined;
      return { events: [{ type: 'ReminderDropped', data: {} }], cancelTimers: [input.event.streamId] };
    },
  });

let store: PostgresEventStore;
const toClose: (() => Promise<void>)[] = [];

beforeEach(async () => {
  const { url, drop } = await createTestDatabase();
  store = await startCopy(url);
  toClose.push(async () => {
    await store.close();
    await drop();
  });
});
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function run(afterMs: number): Promise<void> {
  const manager = reminders(afterMs);
  const { pool } = store;
  const processors = await startProcessors({ store, pool, processors: [manager] });
  const timers = startTimers({ store, pool, handlers: manager.timerHandlers });
  toClose.push(() => processors.close(), timers.close);
}

const history = async (id: string) =>
  (await store.readStream(`reminder-counter-${id}`)).map(({ type }) => type);

describe('a process manager', () => {
  test('is driven by events and by the timers it sets', async () => {
    await run(30);
    await store.append(toCounter('a', counted()));
    await store.append(toCounter('a', counted()));
    await eventually(async () => expect(await history('a')).toEqual(['ReminderSet', 'Reminded']));
  });

  test('cancels the timers it no longer needs', async () => {
    await run(3_600_000);
    await store.append(toCounter('a', counted()));
    await store.append(toCounter('a', removed));
    await eventually(async () => expect(await history('a')).toEqual(['ReminderSet', 'ReminderDropped']));
    expect((await store.pool.query('select from es.timers')).rowCount).toBe(0);
  });

  test('puts all it causes into the correlation of what caused it', async () => {
    await run(1);
    const request = toCounter('a', counted());
    await store.append({ ...request, metadata: { ...request.metadata, correlationId: 'request-7' } });
    await eventually(async () => expect(await history('a')).toHaveLength(2));
    const [counter] = await store.readStream('counter-a');
    const [set, reminded] = await store.readStream('reminder-counter-a');
    expect(set?.metadata).toEqual({
      correlationId: 'request-7',
      causationId: counter?.eventId,
      commandId: null,
      actor: { kind: 'system', id: 'reminders' },
    });
    expect(reminded?.metadata).toMatchObject({ correlationId: 'request-7', causationId: 'timer:counter-a' });
  });
});
