import { describe, expect, test } from 'vitest';
import { EventBuffer } from './event-buffer.ts';
import { recordedEvent } from './fixtures/recorded-event.ts';

const positions = (events: readonly { position: number }[]) => events.map(({ position }) => position);

describe('an event buffer', () => {
  test('hands out what follows without a gap, in order, each event once', () => {
    const buffer = new EventBuffer();
    buffer.add([7, 6, 6, 9, 7].map((position) => recordedEvent(position)));
    expect(positions(buffer.takeAfter(5, 10))).toEqual([6, 7]);
    expect(positions(buffer.takeAfter(7, 10))).toEqual([]);
    buffer.add([recordedEvent(8)]);
    expect(positions(buffer.takeAfter(7, 10))).toEqual([8, 9]);
    expect(buffer.isEmpty).toBe(true);
  });

  test('hands out no more than the limit', () => {
    const buffer = new EventBuffer();
    buffer.add([1, 2, 3].map((position) => recordedEvent(position)));
    expect(positions(buffer.takeAfter(0, 2))).toEqual([1, 2]);
    expect(positions(buffer.takeAfter(2, 2))).toEqual([3]);
  });

  test('forgets what has been handled already', () => {
    const buffer = new EventBuffer();
    buffer.add([1, 2].map((position) => recordedEvent(position)));
    expect(buffer.takeAfter(5, 10)).toEqual([]);
    expect(buffer.isEmpty).toBe(true);
  });

  test('drops what it has no room for', () => {
    const buffer = new EventBuffer(2);
    buffer.add([1, 2, 3].map((position) => recordedEvent(position)));
    expect(positions(buffer.takeAfter(0, 10))).toEqual([1, 2]);
    expect(buffer.isEmpty).toBe(true);
  });
});
