import { passedOverByViews } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountsService } from '../accounts-service.ts';

test('every event that was ever written changes the rows of a view that takes it, or is named here', async () => {
  const streams = { account: 'account-3', 'api-key': 'api-key-41' };
  expect(await passedOverByViews('accounts', accountsService.projections, { streams })).toEqual([]);
});
