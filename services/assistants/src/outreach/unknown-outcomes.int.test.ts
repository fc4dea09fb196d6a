import {
  checkTemplate,
  findSentMessage,
  getHistory,
  sendChatAppTemplate,
  updateLead,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { accepted, type OtherService, sent, startOtherService } from './other-service.fixture.ts';
import { asAccount, campaignOf, leadOf, pass, phone, type Send, statuses, tell } from './outreach.fixture.ts';

let copies: ServiceCopies;
let messaging: OtherService;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  const known = { message: checkTemplate, answer: { outcome: 'ok' } };
  messaging = await startOtherService(
    copies.natsUrl,
    'messaging',
    [sendChatAppTemplate, findSentMessage],
    [known],
  );
});
afterAll(async () => {
  await messaging?.close();
  await copies?.close();
});

const askedBy = (send: Send) => messaging.asked.filter(({ context }) => context.accountId === send.accountId);

/** The campaign rests after what nobody knew. */
const later = (seconds: number) => pass(copies, seconds);
const unknown = {
  kind: 'rejected',
  rejection: { code: 'send_failed', message: 'It may have been sent.', details: { outcome: 'unknown' } },
} as const;
const untilWithdrawn = (id: number) =>
  eventually(async () => {
    const { changes } = await copies.ask(getHistory, { resource: `lead/${id}` });
    expect(changes.at(-1)?.event).toBe('LeadAttemptWithdrawn');
  });

test('a lead of whose message nobody knows yet is completed by the same command once that is told', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const { id: leadId } = await leadOf(send, id);
  messaging.answer(() => unknown);
  await tell(send, id, 'start');
  await untilWithdrawn(leadId);
  messaging.answer(() => sent(1));
  await later(5);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  // A command that is known by its id is asked once.
  expect(askedBy(send)).toHaveLength(1);
});

test('a lead of whose message nobody ever knows is failed after a quarter of an hour; the campaign slows down meanwhile', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const first = await leadOf(send, id);
  messaging.answer(({ payload }) => (payload.recipient_phone === first.phone_number ? unknown : sent(2)));
  await tell(send, id, 'start');
  await untilWithdrawn(first.id);
  // Not before: it would be queued while the answer about the first is on its way.
  const second = await leadOf(send, id);
  await eventually(async () => {
    await later(5);
    expect(await statuses(send)).toEqual(['completed', 'queued']);
  });
  const { rows } = await copies.pool.query(
    `select (select min(recorded_at) from es.events where stream_id = $2 and type = 'LeadQueued')
       - (select min(recorded_at) from es.events where stream_id = $1 and type = 'LeadAttemptWithdrawn')
       >= interval '5 s' as has_rested`,
    [`lead-${first.id}`, `lead-${second.id}`],
  );
  expect(rows).toEqual([{ has_rested: true }]);
  await later(15 * 60);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'failed']));
  messaging.answer(() => sent(1));
});

test('a lead that was failed because nobody knew is completed when its provider tells within a day; one that has another number is not', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const leads = [await leadOf(send, id), await leadOf(send, id)];
  const [told, moved] = leads;
  const notFound = { kind: 'rejected', rejection: { code: 'not_found' } } as const;
  messaging.answer(({ payload }) => ('command_id' in payload ? notFound : unknown));
  await tell(send, id, 'start');
  for (const { id: leadId } of leads) {
    await untilWithdrawn(leadId);
    await later(5);
  }
  await later(15 * 60);
  await eventually(async () => expect(await statuses(send)).toEqual(['failed', 'failed']));
  await send(updateLead, { id: moved.id, phone_number: phone() });
  const timersOf = async (where: 'true' | 'due_at > es.now()') => {
    const ids = leads.map(({ id: leadId }) => `late-answer:lead-${leadId}`);
    const found = await copies.pool.query(`select id from es.timers where id = any($1) and ${where}`, [ids]);
    return found.rows.map(({ id: timer }) => timer);
  };
  const askedAbout = new Set<unknown>();
  messaging.answer(({ payload: { command_id } }) => {
    if (command_id) askedAbout.add(command_id);
    return notFound;
  });
  await later(3600);
  const first = askedBy(send).find(({ payload }) => payload.recipient_phone === told.phone_number);
  await eventually(() => expect(askedAbout).toContain(first?.context.commandId));
  // It is asked again in an hour.
  await eventually(async () =>
    expect(await timersOf('due_at > es.now()')).toEqual([`late-answer:lead-${told.id}`]),
  );
  messaging.answer(({ payload }) => (payload.command_id ? accepted('31') : unknown));
  await later(3600);
  await eventually(async () => expect((await statuses(send)).toSorted()).toEqual(['completed', 'failed']));
  const { changes } = await copies.ask(getHistory, { resource: `lead/${told.id}` });
  expect(changes.at(-1)).toMatchObject({ event: 'LeadAttemptCorrected', after: { status: 'completed' } });
  await eventually(async () => expect(await timersOf('true')).toEqual([]));
});

test('an attempt whose answer got lost is the same one when its campaign is stopped and started', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const lead = await leadOf(send, id);
  messaging.answer(() => ({ kind: 'rejected', rejection: { code: 'unavailable' } }));
  await tell(send, id, 'start');
  await eventually(() => expect(askedBy(send)).toHaveLength(1));
  await tell(send, id, 'stop');
  await untilWithdrawn(lead.id);
  messaging.answer(() => sent(1));
  await tell(send, id, 'start');
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  // A command that is known by its id is asked once.
  expect(askedBy(send)).toHaveLength(1);
});

test('a lead that was given back the evening before is not failed by the first answer of the morning that nobody knows', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const lead = await leadOf(send, id);
  messaging.answer(() => ({ kind: 'rejected', rejection: { code: 'unavailable' } }));
  await tell(send, id, 'start');
  await untilWithdrawn(lead.id);
  await tell(send, id, 'stop');
  await later(12 * 3600);
  messaging.answer(() => unknown);
  await tell(send, id, 'start');
  await eventually(async () => {
    const { changes } = await copies.ask(getHistory, { resource: `lead/${lead.id}` });
    const reason = 'It may have been sent.';
    expect(changes.at(-1)).toMatchObject({ event: 'LeadAttemptWithdrawn', after: { reason } });
  });
  messaging.answer(() => sent(1));
  await later(5);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
});

test('a lead that gets another number while its message is asked for is written to there, too', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send);
  const { id: leadId } = await leadOf(send, id);
  const { promise: answered, resolve: answer } = Promise.withResolvers<typeof unknown>();
  messaging.answer(() => answered);
  await tell(send, id, 'start');
  await eventually(() => expect(askedBy(send)).toHaveLength(1));
  const moved = phone();
  await send(updateLead, { id: leadId, phone_number: moved });
  // Messaging knows the first command, and says of it what it said before.
  messaging.answer(({ payload }) => (payload.recipient_phone === moved ? sent(2) : unknown));
  answer(unknown);
  await untilWithdrawn(leadId);
  await later(5);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  expect(askedBy(send).map(({ payload }) => payload.recipient_phone)).toEqual([expect.anything(), moved]);
});
