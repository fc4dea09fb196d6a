import { passedOverByViews } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationsService } from '../automations-service.ts';

test('every event that was ever written changes the rows of a view that takes it, or is named here', async () => {
  const streams = {
    automation: 'automation-4',
    connection: 'connection-7',
    run: 'run-5d1f6f2e-3c4b-5a69-9788-1a2b3c4d5e6f',
  };
  expect(await passedOverByViews('automations', automationsService.projections, { streams })).toEqual([]);
});
