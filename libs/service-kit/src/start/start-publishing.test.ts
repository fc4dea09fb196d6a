import { createMetricsRegistry, type Logger } from '@parley/process-kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tellOfFailures } from './start-publishing.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('while events cannot be published the log says so every half minute, and what to do; metrics say for how long', async () => {
  const lines: string[] = [];
  const write = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  const logger = { info: write('info'), warn: write('warn'), error: write('error') } as unknown as Logger;
  const registry = createMetricsRegistry('test');
  const failingSeconds = async () => {
    const metric = await registry.getSingleMetric('parley_publishing_failing_seconds')?.get();
    return metric?.values[0]?.value;
  };
  const { onFailure, onRecovered } = tellOfFailures(logger, registry);
  expect(await failingSeconds()).toBe(0);
  for (let second = 0; second < 62; second += 1) {
    onFailure(new Error('maximum bytes exceeded'));
    vi.advanceTimersByTime(1_000);
  }
  const still = expect.stringMatching(/^error .*not published.*room on the disk/);
  expect(lines).toEqual(['warn events could not be published; trying again', still, still]);
  expect(await failingSeconds()).toBe(62);
  onRecovered();
  expect(lines.at(-1)).toBe('info events are published again');
  expect(await failingSeconds()).toBe(0);
  onFailure(new Error('timeout'));
  expect(lines.at(-1)).toMatch(/^warn /);
});

test('where the database gives the log no connection nobody is sent to nats-server', () => {
  const told: string[] = [];
  const tell = (...said: readonly unknown[]) => void told.push(String(said.at(-1)));
  const logger = { info: tell, warn: tell, error: tell } as unknown as Logger;
  const { onFailure } = tellOfFailures(logger, createMetricsRegistry('test'));
  const error = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  onFailure(error);
  vi.advanceTimersByTime(31_000);
  onFailure(error);
  expect(told.at(-1)).toMatch(/^events are still not published: .* nothing is lost\.$/);
});

test('a copy that no longer has it to do after failures says so, is not said to publish again, and has no figure any more', async () => {
  const told: string[] = [];
  const tell = (...said: readonly unknown[]) => void told.push(String(said.at(-1)));
  const registry = createMetricsRegistry('test');
  const logger = { info: tell, warn: tell, error: tell } as unknown as Logger;
  const { onFailure, onLeft } = tellOfFailures(logger, registry);
  onFailure(new Error('timeout'));
  onLeft();
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([
    'events could not be published; trying again',
    expect.stringMatching(/^events are published by whichever copy is next/),
  ]);
  const metric = await registry.getSingleMetric('parley_publishing_failing_seconds')?.get();
  expect(metric?.values[0]?.value).toBe(0);
});
