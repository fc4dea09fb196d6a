import { describe, expect, test } from 'vitest';
import { fromMicroseconds, toMicroseconds } from '../../microseconds.ts';
import type { AppendRequest } from '../../port.ts';
import { type PreparedAppend, prepareAppend } from '../../prepare-append.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { Forecast } from './forecast.ts';

const start = '2026-11-22T10:00:00.000000Z';
const later = (milliseconds: number) => fromMicroseconds(toMicroseconds(start) + milliseconds * 1000);

const appendAt = (expectedVersion: AppendRequest['expectedVersion']): PreparedAppend =>
  prepareAppend({
    streamId: 'thing-1',
    category: 'thing',
    accountId: 1,
    events: [],
    expectedVersion,
    metadata: { correlationId: '', causationId: '', commandId: null, actor: { kind: 'system', id: 'test' } },
  });
const batch = [appendAt(3), appendAt(0)];

const answer = (head: number, clock: string, recordedAt = clock): BatchOutcome => ({
  previousHead: head - 1,
  newHead: head,
  recordedAt,
  clock,
  isWritten: true,
  isBehind: false,
  resultOf: () => undefined,
  versionBefore: () => 0,
});

describe('a forecast', () => {
  test('tells the head, the time that has passed since, and the versions that are expected', () => {
    const forecast = new Forecast();
    expect(forecast.tell(batch, 0)).toBeUndefined();
    forecast.learn(answer(7, start), 100);
    expect(forecast.tell(batch, 112.5)).toEqual({
      previousHead: 7,
      recordedAt: later(12.5),
      versions: [3, 0],
    });
  });

  test('goes by the answer that was on its way for the shortest time', () => {
    const forecast = new Forecast();
    forecast.learn(answer(7, later(1)), 0);
    forecast.learn(answer(8, later(105)), 100);
    expect(forecast.tell(batch, 200)?.recordedAt).toBe(later(201.1));
    // Between clocks that part slowly, it counts less and less.
    forecast.learn(answer(9, later(1_009)), 1_000);
    expect(forecast.tell(batch, 2_000)?.recordedAt).toBe(later(2_002));
  });

  test('goes by the newest answer once the clock was moved on, so that no time stands still', () => {
    const forecast = new Forecast();
    forecast.learn(answer(7, start), 0);
    forecast.learn(answer(8, later(3_600_100)), 100);
    expect(forecast.tell(batch, 180)?.recordedAt).toBe(later(3_600_180));
    // An answer that was slow, by less than what the database would take, is none of a clock that was moved.
    forecast.learn(answer(9, later(3_600_440)), 200);
    expect(forecast.tell(batch, 600)?.recordedAt).toBe(later(3_600_600.1));
  });

  test('tells a later time than that of the append before', () => {
    const forecast = new Forecast();
    forecast.learn(answer(7, start, later(60_000)), 0);
    expect(forecast.tell(batch, 10)?.recordedAt).toBe(later(60_000.001));
  });

  test('tells nothing of a version that nobody expects, nor when the clock was heard too long ago', () => {
    const forecast = new Forecast();
    forecast.learn(answer(7, start), 0);
    expect(forecast.tell([...batch, appendAt('any')], 1)).toBeUndefined();
    expect(forecast.tell(batch, 5_001)).toBeUndefined();
  });

  test('rests ever longer while it fails, and forgets what it thought of the clock', () => {
    const forecast = new Forecast();
    const rests: number[] = [];
    for (let failures = 0; failures < 8; failures += 1) {
      forecast.learn(answer(7, later(3_600_000)), 0);
      forecast.failed();
      forecast.learn(answer(7, start), 0);
      let rest = 0;
      while (!forecast.tell(batch, 20)) rest += 1;
      rests.push(rest);
      expect(forecast.tell(batch, 20)?.recordedAt).toBe(later(20));
    }
    expect(rests).toEqual([2, 4, 8, 16, 32, 64, 64, 64]);
    forecast.cameTrue();
    forecast.failed();
    forecast.learn(answer(7, start), 0);
    expect([1, 2, 3].map(() => forecast.tell(batch, 0) !== undefined)).toEqual([false, false, true]);
  });
});
