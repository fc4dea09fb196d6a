import { expect, test } from 'vitest';
import { callOfRoom, newRoomOf } from '../call.ts';
import {
  isLateAndUnreported,
  placementTimer,
  readCallTimer,
  recordingTimer,
  reportTimer,
  unreportedTimerId,
} from './call-timer.ts';

const nothing = {
  callId: 7,
  accountId: null,
  holdId: null,
  commandId: null,
  outcome: null,
  recordingUrl: null,
};

test('a timer says again what it was set with', () => {
  const read = (timer: { readonly payload: Parameters<typeof readCallTimer>[0] }) =>
    readCallTimer(timer.payload);
  const placing = { callId: 7, holdId: 'hold-1', commandId: 'command-1' };
  expect(read(placementTimer(placing))).toEqual({ ...nothing, ...placing });
  expect(read(reportTimer(7, 'busy'))).toEqual({ ...nothing, outcome: 'busy' });
  expect(read(recordingTimer(7, 'https://example.com/7.mp3'))).toEqual({
    ...nothing,
    recordingUrl: 'https://example.com/7.mp3',
  });
  expect(readCallTimer({ call_id: 7, account_id: 3 })).toEqual({ ...nothing, accountId: 3 });
});

test('what a timer says that nobody understands is passed over, but never whose it is', () => {
  expect(readCallTimer({ call_id: 7, account_id: '3', hold_id: 4, outcome: 'lost' })).toEqual(nothing);
  expect(() => readCallTimer({ call_id: '7' })).toThrow(TypeError);
});

test('a room is a call’s when we have named it so', () => {
  expect(callOfRoom(newRoomOf(7))).toBe(7);
  expect(newRoomOf(7)).not.toBe(newRoomOf(7));
  // As rooms were called before.
  expect(callOfRoom('parley-call-7')).toBe(7);
  for (const room of ['parley-call-', 'parley-call-0', 'parley-call-7x', 'parley-call-7-', 'meeting-7', '7'])
    expect(callOfRoom(room)).toBeNull();
});

test('of a room that was closed without a report the timer is late when the call’s own may be due as well', () => {
  const isLate = (id: string, ms: number) =>
    isLateAndUnreported(
      { ...reportTimer(7, 'busy'), id, dueAt: '2026-11-21T10:00:00.000Z' },
      7,
      new Date(Date.parse('2026-11-21T10:00:00.000Z') + ms),
    );
  const unreported = unreportedTimerId(7);
  expect([5_000, 5_001].map((ms) => isLate(unreported, ms))).toEqual([false, true]);
  expect(isLate(reportTimer(7, 'busy').id, 3_600_000)).toBe(false);
});
