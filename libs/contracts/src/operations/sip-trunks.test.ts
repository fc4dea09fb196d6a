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

test.each(['1.2.3.4:99999', 'sip.example.com:65536', '[::1]:70000', '999.1.1.1', '[:::]', 'a..b', ''])(
  'no SIP server is at %j',
  (address) => {
    const change = { sip_address: address };
    const { error } = updateSipTrunk.body.safeParse(change);
    expect(error && fieldErrors(error, change)).toEqual({
      sip_address: ['The sip address field must be a host name or an IP address, with a port if need be.'],
    });
  },
);

test.each([
  'sip.example.com',
  'sip.example.com:65535',
  '203.0.113.7:5060',
  '[2001:db8::5]',
  '[::1]:5061',
  'pbx',
])('a SIP server may be at %j', (address) => {
  expect(updateSipTrunk.body.safeParse({ sip_address: address }).success).toBe(true);
});
