import { expect, test } from 'vitest';
import { WaitingRoom } from './waiting.ts';

const enter = (room: WaitingRoom, service: string, account: number | null, count: number) =>
  Array.from({ length: count }, () => room.enter(service, account)).filter((leave) => leave !== undefined);

test('those who wait for one service have three quarters of the places at most, whoever they are', () => {
  const room = new WaitingRoom(8);
  const callbacks = enter(room, 'messaging', null, 9);
  expect(callbacks).toHaveLength(6);
  expect(enter(room, 'messaging', 7, 1)).toEqual([]);
  expect(enter(room, 'accounts', null, 2)).toHaveLength(2);
  callbacks.pop()?.();
  expect(enter(room, 'messaging', 7, 2)).toHaveLength(1);
});

test('an account that waits for one service leaves room there for others', () => {
  const room = new WaitingRoom(8);
  expect(enter(room, 'messaging', 7, 9)).toHaveLength(4);
  expect(enter(room, 'messaging', 8, 9)).toHaveLength(2);
});

test('an account has half of the places at most, whatever it waits for, and what was refused takes none', () => {
  const room = new WaitingRoom(8);
  expect(enter(room, 'messaging', 7, 3)).toHaveLength(3);
  expect(enter(room, 'accounts', 7, 9)).toHaveLength(1);
  expect(enter(room, 'accounts', 8, 9)).toHaveLength(4);
  expect(enter(room, 'assistants', null, 1)).toEqual([]);
});
