import { expect, test } from 'vitest';
import { fieldErrors } from '../input/field-errors.ts';
import { updateSipTrunk } from './sip-trunks.ts';

test('what is no address of a caller is told what one looks like', () => {
  const change = { allowed_inbound_ips: ['203.0.113.7', '2001:db8::/32', '10.0.0'] };
  const { error } = updateSipTrunk.body.safeParse(change);
  expect(error && fieldErrors(error, change)).toEqual({
    'allowed_inbound_ips.2': [
      'The allowed inbound ips.2 field must be an IP address or a range such as 203.0.113.0/24.',
    ],
  });
});
