import { expect, test } from 'vitest';
import { refuseCarriersServer } from './carriers-server.ts';

test.each([
  ['parley.pstn.twilio.com', 'parley.pstn.twilio.com'],
  ['Parley.PSTN.twilio.com:5061', 'parley.pstn.twilio.com'],
  ['parley.pstn.dublin.twilio.com', 'parley.pstn.twilio.com'],
  ['parley.pstn.ie1-ix.twilio.com:5060', 'parley.pstn.ashburn.twilio.com'],
  ['sip.carrier.example', 'sip.carrier.example:5080'],
  ['[2001:db8::1]:5061', '[2001:DB8::1]'],
])('%s is the server of the line to %s', (address, carriers) => {
  expect(refuseCarriersServer(address, carriers)).toMatchObject({
    code: 'invalid',
    fields: { sip_address: [expect.any(String)] },
  });
});

test.each([
  'other.pstn.twilio.com',
  'other.pstn.dublin.twilio.com',
  'a.parley.pstn.twilio.com',
  'sip.example.com:5061',
  '[2001:db8::2]',
])('%s is another one', (address) => {
  expect(refuseCarriersServer(address, 'parley.pstn.twilio.com')).toBeNull();
});
