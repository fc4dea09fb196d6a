import {
  createAssistant,
  forgetPhoneNumber,
  getAssistant,
  getPhoneNumber,
  listNumberAssignments,
  NumberReleaseRequested,
  SipTrunkDeleted,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { type OtherService, startOtherService } from '../../outreach/other-service.fixture.ts';
import { asAccount, dataOf, type Send } from '../../outreach/outreach.fixture.ts';
import { leastInput } from '../settings.fixture.ts';

let copies: ServiceCopies;
let telephony: OtherService;
/** Numbers that telephony has no more. */
const gone = new Set<number>();
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  telephony = await startOtherService(copies.natsUrl, 'telephony', [getPhoneNumber]);
  telephony.answer(({ payload: { phone_number_id: id } }) =>
    gone.has(Number(id)) ? notFound : found(Number(id)),
  );
});
afterAll(async () => {
  await telephony?.close();
  await copies?.close();
});

const notFound: BusReply = { kind: 'rejected', rejection: { code: 'not_found' } };
const found = (id: number): BusReply => ({
  kind: 'ok',
  body: JSON.stringify({ id, phone_number: '+14155550123', country_code: 'US', kind: 'normal' }),
});

let send: Send;
beforeEach(() => {
  send = asAccount(copies);
});

const assistantWith = async (phone_number_id: number | null, type = 'inbound'): Promise<number> =>
  dataOf(await send(createAssistant, { ...leastInput, type, phone_number_id })).id;
const numberOf = async (id: number): Promise<number | null> =>
  dataOf(await send(getAssistant, { id })).phone_number_id;

let numbers = 100;
beforeEach(() => {
  numbers += 1;
});

test.each([
  [
    'released number',
    () =>
      telephony.publish(NumberReleaseRequested.type, 'number', send.accountId, {
        number_id: numbers,
        reason: 'unpaid',
      }),
  ],
  [
    'deleted trunk’s number',
    () => telephony.publish(SipTrunkDeleted.type, 'sip-trunk', send.accountId, { id: numbers }),
  ],
])('a %s is taken from every assistant that has it, and from no other', async (_, publish) => {
  const having = [await assistantWith(numbers), await assistantWith(numbers, 'outbound')];
  const other = await assistantWith(numbers + 1_000);
  gone.add(numbers);
  publish();
  await eventually(async () => expect(await Promise.all(having.map(numberOf))).toEqual([null, null]));
  expect(await numberOf(other)).toBe(numbers + 1_000);
});

test('a number that is released while an assistant is given it is taken back when the assignment stands', async () => {
  const number = numbers;
  let asked = 0;
  telephony.answer(({ payload: { phone_number_id: id } }) =>
    gone.has(Number(id)) || (id === number && asked++ > 0) ? notFound : found(Number(id)),
  );
  const assistant = await assistantWith(number);
  await eventually(async () => expect(await numberOf(assistant)).toBeNull());
});

test('the command takes it at once, frees it for another inbound assistant, and may come again', async () => {
  const context = { accountId: send.accountId };
  const assignments = () => copies.ask(listNumberAssignments, {}, context);
  const forget = () => copies.ask(forgetPhoneNumber, { phone_number_id: numbers }, context);
  const assigned = (assistant_id: number) => ({
    data: [{ phone_number_id: numbers, assistant_id, status: 'inactive' }],
  });
  const first = await assistantWith(numbers);
  expect(await assignments()).toEqual(assigned(first));
  expect(await forget()).toEqual({ assistants: 1 });
  expect([await numberOf(first), await assignments()]).toEqual([null, { data: [] }]);
  expect(await forget()).toEqual({ assistants: 0 });
  const second = await assistantWith(numbers);
  expect(await assignments()).toEqual(assigned(second));
});
