import type { RecordedEvent } from '@parley/event-store';
import { expect, test } from 'vitest';
import { OpenEvents } from './open-events.ts';

const eventOf = (position: number, data: unknown): RecordedEvent => ({
  position,
  streamId: 'note-1',
  streamVersion: position,
  category: 'note',
  accountId: 1,
  type: 'Noted',
  schemaVersion: 1,
  eventId: String(position),
  data,
  metadata: { correlationId: 'a', causationId: 'a', commandId: null, actor: { kind: 'system', id: 'test' } },
  recordedAt: '2026-11-24T00:00:00.000000Z',
});

/** How many are taken in while none of them is done, and whether there is room again once one is. */
async function fill(data: unknown, upTo: number) {
  const open = new OpenEvents(() => undefined);
  const dones: (() => void)[] = [];
  const add = (position: number) =>
    open.add(eventOf(position, data), String(position), () => new Promise((resolve) => dones.push(resolve)));
  const hasRoom = (adding: Promise<void>) =>
    Promise.race([
      adding.then(() => true),
      new Promise((resolve) => setImmediate(resolve)).then(() => false),
    ]);
  for (let position = 1; position <= upTo; position += 1) {
    const adding = add(position);
    if (await hasRoom(adding)) continue;
    dones.shift()?.();
    return { taken: position, hasRoomAfterOne: await hasRoom(adding) };
  }
  return { taken: upTo, hasRoomAfterOne: true };
}

test('large events that wait in their lanes are kept up to 64 million characters, however few they are', async () => {
  const text = 'x'.repeat(8 * 1024 * 1024 - 100);
  expect(await fill({ text }, 100)).toEqual({ taken: 9, hasRoomAfterOne: true });
});

test('small events that wait in their lanes are kept up to ten thousand', async () => {
  expect(await fill({ text: 'x' }, 20_000)).toEqual({ taken: 10_000, hasRoomAfterOne: true });
});

test('nobody waits for room any more once a reaction has failed', async () => {
  const open = new OpenEvents(() => undefined);
  const text = 'x'.repeat(64 * 1024 * 1024);
  await open.add(eventOf(1, { text }), '1', () => Promise.reject(new Error('no')));
  expect(() => open.throwIfFailed()).toThrow('no');
});

test('what has nothing to say takes no room', async () => {
  expect(await fill(undefined, 10)).toEqual({ taken: 10, hasRoomAfterOne: true });
});
