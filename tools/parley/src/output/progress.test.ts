import { expect, test } from 'vitest';
import { renderProgress, startProgressLine } from './progress.ts';
import { startStepLine } from './step-line.ts';
import { formatDuration, formatTime } from './time.ts';

test('progress shows the share, the count, the rate and the time left', () => {
  expect(renderProgress({ done: 5_000, total: 20_000, elapsedMs: 500 }, 8)).toBe(
    '[##------]   25 %  5,000/20,000 events  10,000/s  1.5 s left',
  );
});

test('progress that is complete, or of nothing, is 100 %', () => {
  expect(renderProgress({ done: 7, total: 7, elapsedMs: 1000 }, 4)).toBe('[####]  100 %  7/7 events  7/s');
  expect(renderProgress({ done: 0, total: 0, elapsedMs: 0 }, 4)).toBe('[####]  100 %  0/0 events');
});

test('durations are told in the two largest units', () => {
  expect([400, 59_000, 125_000, 3_780_000].map(formatDuration)).toEqual([
    '0.4 s',
    '59 s',
    '2 min 5 s',
    '1 h 3 min',
  ]);
});

test('times keep every digit', () => {
  expect(formatTime('2026-11-21T02:04:31.123456Z')).toBe('2026-11-21 02:04:31.123456');
});

test('a terminal is drawn over and cleared, anything else gets a line now and then', () => {
  const drawn = (isTTY: boolean) => {
    const written: string[] = [];
    const stream = { isTTY, columns: 30, write: (text: string) => written.push(text) };
    const line = startProgressLine('Rebuilding', stream as unknown as NodeJS.WriteStream);
    line.show({ done: 1, total: 2 });
    line.clear();
    return written;
  };
  const takenAway = '\r\x1b[2K';
  const [line = '', cleared] = drawn(true);
  expect(line.startsWith(`${takenAway}Rebuilding  [###`)).toBe(true);
  expect(line).toHaveLength(takenAway.length + 29);
  expect(cleared).toBe(takenAway);
  expect(drawn(false)).toEqual([]);
});

test('what somebody does is said once, when it changes', () => {
  const written: string[] = [];
  const { show } = startStepLine('folders', { write: (text: string) => written.push(text) } as never);
  for (const step of ['', 'copying', 'copying', '', 'indexing', 'copying']) show(step);
  expect(written).toEqual(['folders  copying\n', 'folders  indexing\n', 'folders  copying\n']);
});
