import { loadConfig } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { needOwnKeys, serviceConfig } from './config.ts';

test('keys that everybody knows seal nothing where there is no sandbox', () => {
  const faultsOf = (environment: Record<string, string>) => {
    const faults: unknown[] = [];
    const context = { addIssue: (issue: unknown) => faults.push(issue) };
    needOwnKeys(loadConfig(serviceConfig, environment), context as never);
    return faults;
  };
  expect(faultsOf({})).toMatchObject([{ path: ['SECRETS_KEYS'] }]);
  expect(faultsOf({ SANDBOX: 'true' })).toEqual([]);
  expect(faultsOf({ SECRETS_KEYS: `own:${Buffer.alloc(32, 7).toString('base64')}` })).toEqual([]);
});
