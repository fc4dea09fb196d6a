import { checkTemplate, createCampaign, getHistory } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type OtherService, sent, startMessaging, startOtherService } from './other-service.fixture.ts';
import {
  asAccount,
  campaignOf,
  chatapp,
  leadOf,
  rebuildsAreTheSame,
  type Send,
  statuses,
  tell,
} from './outreach.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

test('a chat-app campaign needs messaging’s word for its template', async () => {
  const send = asAccount(copies);
  expect(await send(createCampaign, { name: 'Spring', ...chatapp })).toMatchObject({
    rejection: { code: 'unavailable' },
  });
  for (const [outcome, field] of [
    ['sender_not_found', 'sender_id'],
    ['template_not_found', 'template_id'],
    ['template_not_approved', 'template_id'],
  ]) {
    const known = { message: checkTemplate, answer: { outcome } };
    const messaging = await startOtherService(copies.natsUrl, 'messaging', [], [known]);
    const answer = await send(createCampaign, { name: 'Spring', ...chatapp });
    expect(answer).toMatchObject({
      rejection: { code: 'invalid', fields: { [`${field}`]: [expect.any(String)] } },
    });
    await messaging.close();
  }
});

describe('with messaging there', () => {
  let messaging: OtherService;
  beforeAll(async () => {
    messaging = await startMessaging(copies);
  });
  afterAll(() => messaging?.close());
  const askedBy = (send: Send) =>
    messaging.asked.filter(({ context }) => context.accountId === send.accountId);

  test('a running chat-app campaign sends its template to every lead once, and they are completed', async () => {
    const send = asAccount(copies);
    const id = await campaignOf(send);
    const first = await leadOf(send, id, { variables: { name: 'Ada', city: 'Hamburg' } });
    await tell(send, id, 'start');
    const second = await leadOf(send, id, { variables: { name: 'Eve' } });
    await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
    expect(askedBy(send).map(({ payload }) => payload)).toEqual([
      {
        sender_id: 7,
        template_id: 8,
        recipient_phone: first.phone_number,
        variables: { '1': 'Ada', name: 'Ada', city: 'Hamburg', phone_number: first.phone_number },
      },
      expect.objectContaining({
        recipient_phone: second.phone_number,
        variables: { '1': 'Eve', name: 'Eve', phone_number: second.phone_number },
      }),
    ]);
    const { changes } = await copies.ask(getHistory, { resource: `lead/${first.id}` });
    expect(changes.map(({ event }) => event)).toEqual([
      'LeadCreated',
      'LeadQueued',
      'LeadAttemptStarted',
      'LeadAttemptEnded',
    ]);
  });

  test('an account whose sender is slow holds up the campaigns of no other', async () => {
    const [slow, quick] = [asAccount(copies), asAccount(copies)];
    const answered = Promise.withResolvers<void>();
    messaging.answer(async ({ context }) => {
      if (context.accountId === slow.accountId) await answered.promise;
      return sent(1);
    });
    const start = async (send: Send) => {
      const id = await campaignOf(send);
      await leadOf(send, id);
      await tell(send, id, 'start');
    };
    await start(slow);
    await eventually(() => expect(askedBy(slow)).toHaveLength(1));
    await start(quick);
    await eventually(async () => expect(await statuses(quick)).toEqual(['completed']));
    expect(await statuses(slow)).not.toContain('completed');
    answered.resolve();
    await eventually(async () => expect(await statuses(slow)).toEqual(['completed']));
    messaging.answer(() => sent(1));
  });

  test('an attempt stands below what it goes back to in its trace', async () => {
    const send = asAccount(copies);
    const id = await campaignOf(send);
    const { id: leadId } = await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
    const { rows } = await copies.pool.query(
      `select type, event_id as id, metadata ->> 'correlationId' as trace, metadata ->> 'causationId' as cause
       from es.events where stream_id = any($1)`,
      [[`lead-${leadId}`, `campaign-${id}`]],
    );
    const [queued] = rows.filter(({ type }) => type === 'LeadQueued');
    // Whichever had the campaign look for leads last.
    const beginnings = rows.filter(({ type }) => ['CampaignStarted', 'LeadCreated'].includes(type));
    expect(new Set(beginnings.map(({ trace }) => trace)).size).toBe(2);
    expect(queued.cause).toBe(beginnings.find(({ trace }) => trace === queued.trace)?.id);
  });

  test('what messaging refuses is failed with its reason; what it asks to repeat later is repeated', async () => {
    const send = asAccount(copies);
    const id = await campaignOf(send);
    const refused = await leadOf(send, id);
    const later = await leadOf(send, id);
    let isSlow = true;
    messaging.answer(({ payload }) => {
      if (payload.recipient_phone === refused.phone_number)
        return { kind: 'rejected', rejection: { code: 'invalid', message: 'The sender is offline.' } };
      if (!isSlow) return sent(1);
      isSlow = false;
      return { kind: 'rejected', rejection: { code: 'too_many_attempts', retryAfterSeconds: 1 } };
    });
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'failed']));
    const { changes } = await copies.ask(getHistory, { resource: `lead/${refused.id}` });
    expect(changes.at(-1)?.after).toMatchObject({ status: 'failed' });
    const attempts = askedBy(send).filter(({ payload }) => payload.recipient_phone === later.phone_number);
    expect(new Set(attempts.map(({ context }) => context.commandId)).size).toBe(2);
    messaging.answer(() => sent(2));
  });

  test('a stopped campaign sends nothing, and goes on where it was', async () => {
    const send = asAccount(copies);
    messaging.answer(() => sent(1));
    const id = await campaignOf(send);
    for (let n = 0; n < 12; n += 1) await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toContain('completed'));
    await tell(send, id, 'stop');
    const after = (await statuses(send)).filter((status) => status === 'completed').length;
    await eventually(async () => expect(await statuses(send)).not.toContain('in_progress'));
    // One attempt may have been under way when the campaign was stopped.
    expect(askedBy(send).length - after).toBeLessThanOrEqual(1);
    await tell(send, id, 'start');
    await eventually(async () => expect(new Set(await statuses(send))).toEqual(new Set(['completed'])));
    expect(askedBy(send)).toHaveLength(12);
  });

  test('outside its windows a campaign waits for the next one', async () => {
    const send = asAccount(copies);
    const { rows } =
      await copies.pool.query(`select to_char(es.now() at time zone 'UTC' + interval '2 hours', 'HH24:MI') as later,
      to_char(es.now() at time zone 'UTC' + interval '3 hours', 'HH24:MI') as end`);
    const id = await campaignOf(send, {
      ...chatapp,
      windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: rows[0].later, to: rows[0].end }],
    });
    await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => {
      const timers = await copies.pool.query(
        `select due_at > es.now() + interval '1 hour' as is_later from es.timers where id = $1`,
        [`pace-campaign:${id}`],
      );
      expect(timers.rows).toEqual([{ is_later: true }]);
    });
    expect(await statuses(send)).toEqual(['created']);
  });
});

rebuildsAreTheSame(() => copies);
