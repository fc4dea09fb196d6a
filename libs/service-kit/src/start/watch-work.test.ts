import { createLogger, createMetricsRegistry } from '@parley/process-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Closers } from './closers.ts';
import { watchWork } from './watch-work.ts';

const minuteMs = 60_000;
const echo = { name: 'echo', checkpoint: 'reactor:echo' };

function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const logger = createLogger({ service: 'test', level: 'silent' });
  const warn = vi.spyOn(logger, 'warn');
  const closers = new Closers(logger);
  const inHand = watchWork([echo], { logger, registry: createMetricsRegistry('test') }, closers);
  return { closers, inHand, told: () => warn.mock.calls.map(([fields]) => fields) };
}

test('a reactor that is at one event for five minutes has a line in the log, once, and one for the next such event', () => {
  const { inHand, told } = watched();
  const end = inHand.begin('reactor:echo', { position: 7, eventId: 'a' });
  vi.advanceTimersByTime(4 * minuteMs);
  expect(told()).toEqual([]);
  vi.advanceTimersByTime(60 * minuteMs);
  expect(told()).toEqual([{ processor: 'reactor:echo', position: 7, eventId: 'a', seconds: 300 }]);
  end();
  inHand.begin('reactor:echo', { position: 8, eventId: 'b' });
  vi.advanceTimersByTime(60 * minuteMs);
  expect(told().slice(1)).toMatchObject([{ position: 8, eventId: 'b' }]);
});

test('a timer that hangs is told of as well: all others of its process wait for it', () => {
  const { inHand, told } = watched();
  inHand.begin('timers', { timer: 'run:b' });
  vi.advanceTimersByTime(60 * minuteMs);
  expect(told()).toEqual([{ processor: 'timers', timer: 'run:b', seconds: 300 }]);
});

test('a process that ends looks no more', async () => {
  const { closers, inHand, told } = watched();
  inHand.begin('reactor:echo', { position: 7, eventId: 'a' });
  await closers.close();
  vi.advanceTimersByTime(60 * minuteMs);
  expect(told()).toEqual([]);
});
