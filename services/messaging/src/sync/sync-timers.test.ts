import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { leaseTimer, syncedSenderOf, syncTimer, syncTimerIds, syncTimers } from './sync-timers.ts';

const sender = { senderId: 12, accountId: 3 };

test('a sync is due at once, soon, or after its interval, in this order', () => {
  for (const scope of ['numbers', 'templates'] as const) {
    const after = (['now', 'soon', 'interval'] as const).map((due) => syncTimer(scope, sender, due).due);
    expect(after[0]).toEqual({ afterMs: 0 });
    const delays = after.map((due) => ('afterMs' in due ? due.afterMs : Number.NaN));
    expect([...delays].sort((one, other) => one - other)).toEqual(delays);
    expect(new Set(delays).size).toBe(3);
  }
});

test('a reading’s lease is the one timer of its sender and scope', () => {
  const until = '2026-11-21T10:00:00.000Z';
  expect(leaseTimer('templates', sender, until)).toEqual({
    ...syncTimer('templates', sender, 'now'),
    due: { at: until },
  });
});

test('a timer says whose it is, and one that says nothing of that is a bug', () => {
  expect(syncedSenderOf(syncTimer('templates', sender).payload)).toEqual(sender);
  for (const payload of [{}, { sender_id: 12 }, { sender_id: '12', account_id: 3 }])
    expect(() => syncedSenderOf(payload)).toThrow(TypeError);
});

test('a sender of an imported account has the timers of one that was connected here', async () => {
  const [connected] = golden<{ readonly type: string; readonly data: { readonly sender_id: number } }>(
    'SenderConnected.v1',
  );
  if (!connected) throw new Error('The golden file holds it.');
  const senderId = connected.data.sender_id;
  const timers = await syncTimers.of(recorded(connected, { accountId: 3 }));
  expect(timers.map(({ id }) => id)).toEqual(syncTimerIds(senderId));
  for (const { payload } of timers) expect(syncedSenderOf(payload)).toEqual({ senderId, accountId: 3 });
});
