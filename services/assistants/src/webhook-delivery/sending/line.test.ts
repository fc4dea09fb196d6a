import { describe, expect, test } from 'vitest';
import { createClaim } from './line.fixture.ts';
import { Line } from './line.ts';

const joined = (line: Line, count: number, nowMs = 0) =>
  Array.from({ length: count }, () => line.joinEnd(nowMs)).at(-1);

test('a line is empty when nothing goes on, waits for its turn, or was put off', () => {
  const lines = Array.from({ length: 4 }, () => new Line(4));
  const [, running, waiting, full] = lines;
  if (running) running.running = 1;
  waiting?.waiting.push(createClaim('a'));
  const { job, leasedUntil: dueAt, metadata } = createClaim('b');
  full?.putOff.set('b', { job, dueAt, metadata });
  expect(lines.map(({ isEmpty }) => isEmpty)).toEqual([true, false, false, false]);
});

describe('the turn of what joins the end of a line', () => {
  test('comes after what waits and what joined before, at most five minutes later', () => {
    const line = new Line(4);
    line.waiting.push(createClaim('a'), createClaim('b'));
    // One is taken to last 100 ms while none has ended.
    expect(joined(line, 1)).toBe(50);
    expect(joined(line, 10)).toBe(300);
    expect(joined(line, 20_000)).toBe(300_000);
  });

  test('comes nearer as time goes by, and when others leave', () => {
    const line = new Line(1);
    expect(joined(line, 11)).toBe(1_000);
    expect(joined(line, 1, 600)).toBe(500);
    line.leaveEnd(3);
    expect(joined(line, 1, 600)).toBe(300);
    expect(joined(line, 1, 60_000)).toBe(0);
  });

  test('is told from how long the last ones took, and not by the few that stood still', () => {
    const line = new Line(4);
    for (const ms of [300, 310, 14_000, 290, 14_100, 300, 14_200, 310, 14_300]) line.took(ms);
    expect(joined(line, 101)).toBe((100 * 310) / 4);
    for (let n = 0; n < 9; n += 1) line.took(20);
    expect(joined(line, 101, 60_000)).toBe((100 * 20) / 4);
  });

  test('does not move away while the line is longer than five minutes', () => {
    const line = new Line(1);
    joined(line, 100_000);
    expect(joined(line, 1, 1_000)).toBe(299_000);
  });
});
