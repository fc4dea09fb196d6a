import { CallNotPlaced } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { startTelephony, type Telephony } from './calling.fixture.ts';
import { accepted } from './other-service.fixture.ts';
import {
  asAccount,
  callCampaignOf,
  heldUpOf,
  leadOf,
  pass,
  rebuildsAreTheSame,
  statuses,
  tell,
  untilLater,
  untilWaiting,
} from './outreach.fixture.ts';

let copies: ServiceCopies;
let telephony: Telephony;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  telephony = await startTelephony(copies);
});
afterAll(async () => {
  await telephony?.close();
  await copies?.close();
});

test.each([
  ['fail', 'failed', 3, 'At least the last 20 calls have failed.'],
  [
    'are answered while no agent is there',
    'completed',
    0,
    'No agent has told of at least the last 20 calls that were answered.',
  ],
])(
  'a campaign whose calls %s, one after the other, calls once in a quarter of an hour, and says why, until one is answered',
  async (_, end, durationS, reason) => {
    const send = asAccount(copies);
    const endAs = (status: string, duration?: number) =>
      telephony.answer(async ({ payload }) => {
        const call = telephony.nextCall();
        telephony.endCall(send, Number(payload.lead_id), status, call, duration);
        await pass(copies, 2);
        return accepted(String(call));
      });
    endAs(end, durationS);
    const id = await callCampaignOf(send);
    for (let count = 0; count < 32; count += 1) await leadOf(send, id);
    await tell(send, id, 'start');
    const asked = () => telephony.asked.filter(({ context }) => context.accountId === send.accountId).length;
    await eventually(async () => expect(await heldUpOf(send)).toMatchObject({ reason }));
    // Those that are under way by then fail as well.
    await untilLater(copies, id);
    const spent = asked();
    expect(spent).toBeLessThan(31);
    await pass(copies, 900);
    await eventually(() => expect(asked()).toBe(spent + 1));
    await eventually(async () => expect(await heldUpOf(send)).not.toBeNull());
    endAs('completed');
    // Whoever has put it right does not wait.
    await tell(send, id, 'start');
    expect(await heldUpOf(send)).toBeNull();
    await eventually(() => expect(asked()).toBe(32));
    await eventually(async () => expect(await statuses(send)).not.toContain('in_progress'));
    expect(await heldUpOf(send)).toBeNull();
  },
);

test('whom a campaign had no money for is called once one of its calls is over, also where nobody else is left', async () => {
  const send = asAccount(copies);
  let isBroke = false;
  telephony.answer(() =>
    isBroke
      ? { kind: 'rejected', rejection: { code: 'insufficient_balance' } }
      : accepted(String(telephony.nextCall())),
  );
  const id = await callCampaignOf(send);
  const first = await leadOf(send, id);
  await tell(send, id, 'start');
  const call = await telephony.callsOf(first.id, 1);
  await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
  isBroke = true;
  const second = await leadOf(send, id);
  await eventually(async () => expect(await heldUpOf(send)).not.toBeNull());
  isBroke = false;
  telephony.endCall(send, first.id, 'completed', call);
  await telephony.callsOf(second.id, 2);
  expect(await heldUpOf(send)).toBeNull();
});

test('nobody has failed whom the voice platform was not there to call: they are called a minute later', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await callCampaignOf(send, { retries: { max_attempts: 1, delay_minutes: 1 } });
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  const call_id = await telephony.callsOf(lead.id, 1);
  const about = { reason: 'away', lead_id: lead.id, may_pass_later: true };
  const { type, version } = CallNotPlaced;
  telephony.publish(type, 'call', send.accountId, { call_id, ...about }, version);
  telephony.endCall(send, lead.id, 'failed', call_id);
  await untilWaiting(copies, send);
  expect(await statuses(send)).toEqual(['queued']);
  await pass(copies, 61);
  telephony.endCall(send, lead.id, 'completed', await telephony.callsOf(lead.id, 2));
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
});

rebuildsAreTheSame(() => copies);
