import { loadConfig } from '@parley/process-kit';
import { serviceConfig } from '@parley/service-kit';
import { composedKeys } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationsConfig } from './config.ts';

test('a process works on 256 runs at a time unless it is told another figure, and on none where that is 0', () => {
  const runsOf = (figure: string) =>
    loadConfig(automationsConfig, { MAX_CONCURRENT_RUNS: figure }).MAX_CONCURRENT_RUNS;
  expect(['', '0', '20'].map(runsOf)).toEqual([256, 0, 20]);
  for (const wrong of ['-1', 'none', '1.5']) expect(() => runsOf(wrong)).toThrow('MAX_CONCURRENT_RUNS');
});

test('Docker Compose hands over every key of its own', () => {
  const keys = Object.keys(automationsConfig.shape).filter(
    (name) => !Object.hasOwn(serviceConfig.shape, name),
  );
  expect(composedKeys('automations')).toEqual(expect.arrayContaining(keys));
});
