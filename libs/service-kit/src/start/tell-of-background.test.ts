import { createLogger } from '@parley/process-kit';
import { expect, test, vi } from 'vitest';
import { DatabaseOutage } from './database-outage.ts';
import { tellOfBackground } from './tell-of-background.ts';

const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });

test.each([
  ['warn', 'a lost connection', new Error('Connection terminated unexpectedly')],
  ['warn', 'what a full disk has stopped', new Error('A batch was not acknowledged.', { cause: full })],
  ['error', 'a fault of ours', new TypeError('x is not a function')],
  ['error', 'what is not even an error', 'nothing'],
] as const)('at %s %s is told', (level, _, error) => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const told = { warn: vi.spyOn(logger, 'warn'), error: vi.spyOn(logger, 'error') };
  const outage = new DatabaseOutage(logger, async () => undefined, new AbortController().signal);
  tellOfBackground(logger, outage, 'the store failed in the background')(error);
  expect(told[level]).toHaveBeenCalledExactlyOnceWith({ err: error }, 'the store failed in the background');
  expect(told[level === 'warn' ? 'error' : 'warn']).not.toHaveBeenCalled();
});
