import { expect, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { planInstances } from './ports.ts';

test.each(['PORT', 'SANDBOX_PORT'] as const)('%s is one that fetch calls', async (variable) => {
  const settings = { ...loadSettings(), PORT: 0, SANDBOX_PORT: 0 };
  await expect(planInstances({ ...settings, [variable]: 4190 })).rejects.toThrow(
    new RegExp(`Port 4190 .* fetch .* Set ${variable} `),
  );
  expect((await planInstances(settings)).length).toBeGreaterThan(2);
});
