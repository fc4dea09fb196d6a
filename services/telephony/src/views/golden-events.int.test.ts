import { passedOverByViews } from '@parley/testing';
import { expect, test } from 'vitest';
import { telephonyService } from '../telephony-service.ts';

test('every event that was ever written changes the rows of a view that takes it, or is named here', async () => {
  const streams = { call: 'call-82', 'sip-trunk': 'sip-trunk-7', sms: 'sms-51' };
  expect(await passedOverByViews('telephony', telephonyService.projections, { streams })).toEqual([]);
});
