import { getPhoneNumber } from '@parley/contracts';
import { type BusReply, type BusRequest, ServiceUnavailable } from '@parley/message-bus';
import { expect, test } from 'vitest';
import { asService, lookUp, onBehalfOf } from './look-up.ts';

const number = { id: 7, phone_number: '+4930901820', country_code: 'DE', kind: 'normal', takes_calls: true };
const context = asService('telephony', 3, 'request-1');

async function answered(reply: BusReply) {
  const asked: BusRequest[] = [];
  const bus = {
    async request(request: BusRequest) {
      asked.push(request);
      return reply;
    },
    close: async () => undefined,
  };
  const found = await lookUp(bus, getPhoneNumber, { phone_number_id: 7 }, context);
  return { asked, found };
}
const no = (code: string): BusReply => ({ kind: 'rejected', rejection: { code } });

test('another service is asked on its subject, and its answer read by the contract', async () => {
  const { asked, found } = await answered({ kind: 'ok', body: JSON.stringify({ ...number, added: 1 }) });
  expect(asked).toEqual([
    {
      service: 'telephony',
      subject: 'qry.telephony.get-phone-number',
      payload: '{"phone_number_id":7}',
      context,
    },
  ]);
  expect(found).toEqual(number);
});

test('what is not there is null; any other no is no answer', async () => {
  expect((await answered(no('not_found'))).found).toBeNull();
  await expect(answered(no('contended'))).rejects.toBeInstanceOf(ServiceUnavailable);
});

test('a query in a caller’s name is about what is theirs, and is no command', () => {
  const message = { ...context, commandId: 'c', fingerprint: 'f', expectedVersion: 4, baseUrl: 'https://a' };
  expect(onBehalfOf(message)).toEqual({ ...context, baseUrl: 'https://a' });
});
