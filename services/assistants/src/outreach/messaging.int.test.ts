import {
  checkTemplate,
  createCampaign,
  deleteLead,
  getHistory,
  getVerification,
  listCampaigns,
  sendChatAppTemplate,
  verifyProjection,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { leadCampaignsTable } from '../views/leads-view.ts';
import { type OtherService, sent, startOtherService } from './other-service.fixture.ts';
import {
  asAccount,
  campaignOf,
  chatapp,
  dataOf,
  leadOf,
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
    const known = { message: checkTemplate, answer: { outcome: 'ok' } };
    messaging = await startOtherService(copies.natsUrl, 'messaging', [sendChatAppTemplate], [known]);
    messaging.answer(() => sent(1));
  });
  afterAll(() => messaging?.close());
  const askedBy = (send: Send) =>
    messaging.asked.filter(({ context }) => context.accountId === send.accountId);
  /** Of the account's one campaign, as its list shows it. */
  const heldUpOf = async (send: Send) =>
    dataOf(await send(listCampaigns, { page: 1, per_page: 1 }))[0].held_up;
  /** Until the campaign looks again in a quarter of an hour. */
  const untilLater = (id: number) =>
    eventually(async () => {
      const timers = await copies.pool.query(
        `select due_at > es.now() + interval '14 minutes' as is_later from es.timers where id = $1`,
        [`pace-campaign:${id}`],
      );
      expect(timers.rows).toEqual([{ is_later: true }]);
    });

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
        variables: { '1': 'Ada', name: 'Ada', city: 'Hamburg' },
      },
      expect.objectContaining({
        recipient_phone: second.phone_number,
        variables: { '1': 'Eve', name: 'Eve' },
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

  test('a campaign whose messages are not taken at present holds up no other', async () => {
    const [throttled, other] = [asAccount(copies), asAccount(copies)];
    let isThrottled = true;
    messaging.answer(({ context }) =>
      isThrottled && context.accountId === throttled.accountId
        ? { kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 5 } }
        : sent(1),
    );
    const [first, second] = [await campaignOf(throttled), await campaignOf(other)];
    await leadOf(throttled, first);
    await leadOf(throttled, first);
    await tell(throttled, first, 'start');
    const inARow = async () => {
      const { rows } = await copies.pool.query(
        `select withdrawn_in_a_row as count from ${leadCampaignsTable} where id = $1`,
        [first],
      );
      return rows[0]?.count;
    };
    await eventually(async () => expect(await inARow()).toBe(1));
    await leadOf(other, second);
    await tell(other, second, 'start');
    await eventually(async () => expect(await statuses(other)).toEqual(['completed']));
    isThrottled = false;
    await eventually(async () => expect(await statuses(throttled)).toEqual(['completed', 'completed']));
    expect(await inARow()).toBe(0);
    // Asked anew, each attempt is the same one.
    expect(askedBy(throttled)).toHaveLength(2);
  });

  const blocked = (provider_code: string) => ({ outcome: 'not_sent', provider_code });
  test.each<[code: string, details?: { outcome: string; provider_code: string }]>([
    ['send_failed', blocked('131031')],
    ['send_failed', blocked('368/2494055')],
    ['messaging_limit_reached'],
    ['insufficient_balance'],
    ['sender_not_found'],
    ['sender_offline'],
    ['template_not_found'],
    ['template_not_approved'],
  ])(
    'a campaign that is told %s %j waits, says why, and asks once in a quarter of an hour',
    async (code, details) => {
      const send = asAccount(copies);
      let isFull = true;
      messaging.answer(() =>
        isFull ? { kind: 'rejected', rejection: { code, ...(details && { details }) } } : sent(1),
      );
      const id = await campaignOf(send);
      const [first, second] = [await leadOf(send, id), await leadOf(send, id)];
      await tell(send, id, 'start');
      await eventually(async () => {
        const { changes } = await copies.ask(getHistory, { resource: `lead/${first.id}` });
        expect(changes.at(-1)?.event).toBe('LeadAttemptWithdrawn');
      });
      expect(await heldUpOf(send)).toEqual({ reason: expect.any(String), until: expect.any(String) });
      await untilLater(id);
      isFull = false;
      await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 901');
      await copies.pool.query(`select pg_notify('es_timers', '')`);
      await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
      expect(askedBy(send).map(({ payload }) => payload.recipient_phone)).toEqual(
        expect.arrayContaining([first.phone_number, second.phone_number]),
      );
      expect(await heldUpOf(send)).toBeNull();
    },
  );

  test.each([
    ['started again while it runs', ['start']],
    ['stopped and started', ['stop', 'start']],
  ] as const)('a campaign that waits for money goes on at once when it is %s', async (_, actions) => {
    const send = asAccount(copies);
    let isBroke = true;
    messaging.answer(() =>
      isBroke ? { kind: 'rejected', rejection: { code: 'insufficient_balance' } } : sent(1),
    );
    const id = await campaignOf(send);
    await leadOf(send, id);
    await tell(send, id, 'start');
    await untilLater(id);
    isBroke = false;
    await leadOf(send, id);
    for (const action of actions) expect(await tell(send, id, action)).toMatchObject({ held_up: null });
    await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
  });

  test('a stopped campaign is not held up, whatever what it had begun comes to', async () => {
    const send = asAccount(copies);
    const stopped = Promise.withResolvers<void>();
    messaging.answer(async () => {
      await stopped.promise;
      return { kind: 'rejected', rejection: { code: 'insufficient_balance' } };
    });
    const id = await campaignOf(send);
    const { id: lead } = await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(() => expect(askedBy(send)).toHaveLength(1));
    await tell(send, id, 'stop');
    stopped.resolve();
    await eventually(async () => {
      const { changes } = await copies.ask(getHistory, { resource: `lead/${lead}` });
      expect(changes.at(-1)?.event).toBe('LeadAttemptWithdrawn');
    });
    expect(await heldUpOf(send)).toBeNull();
  });

  test('a campaign whose waiting lead is deleted is not held up for longer than it was to wait', async () => {
    const send = asAccount(copies);
    messaging.answer(() => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } }));
    const id = await campaignOf(send);
    const { id: lead } = await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => expect(await heldUpOf(send)).not.toBeNull());
    await send(deleteLead, { id: lead });
    await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 901');
    expect(await heldUpOf(send)).toBeNull();
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

test.each(['campaigns', 'leads'])(
  'a rebuild of %s gives the rows that all this has led to',
  async (projection) => {
    await eventually(() => copies.ask(verifyProjection, { projection }));
    await eventually(async () => {
      const { status, differences, rows } = await copies.ask(getVerification, { projection });
      expect({ status, differences }).toEqual({ status: 'done', differences: [] });
      expect(rows).toBeGreaterThan(2);
    });
  },
);
