import { BalanceAdjusted, BalanceToppedUp, deleteLead, getHistory, rejections } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { leadCampaignsTable } from '../views/leads/leads-view.ts';
import { type OtherService, sent, startMessaging, startOtherService } from './other-service.fixture.ts';
import {
  asAccount,
  campaignOf,
  chatapp,
  heldUpOf,
  leadOf,
  pass,
  rebuildsAreTheSame,
  type Send,
  statuses,
  tell,
  untilLater,
} from './outreach.fixture.ts';

let copies: ServiceCopies;
let messaging: OtherService;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  messaging = await startMessaging(copies);
});
afterAll(async () => {
  await messaging?.close();
  await copies?.close();
});

const askedBy = (send: Send) => messaging.asked.filter(({ context }) => context.accountId === send.accountId);

test('a campaign whose messages are not taken at present says so, and holds up no other', async () => {
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
  await eventually(async () => expect(await inARow()).toBeGreaterThan(0));
  expect(await heldUpOf(throttled)).toEqual({
    reason: rejections.unavailable.message,
    until: expect.any(String),
  });
  await leadOf(other, second);
  await tell(other, second, 'start');
  await eventually(async () => expect(await statuses(other)).toEqual(['completed']));
  isThrottled = false;
  await eventually(async () => expect(await statuses(throttled)).toEqual(['completed', 'completed']));
  expect(await inARow()).toBe(0);
  expect(await heldUpOf(throttled)).toBeNull();
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
    await untilLater(copies, id);
    isFull = false;
    await pass(copies, 901);
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
  await untilLater(copies, id);
  isBroke = false;
  await leadOf(send, id);
  for (const action of actions) expect(await tell(send, id, action)).toMatchObject({ held_up: null });
  await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
});

test('a campaign that waits for money goes on at once when its account gets some; one that waits for its sender, or was stopped, does not', async () => {
  const accounts = await startOtherService(copies.natsUrl, 'accounts', []);
  try {
    const send = asAccount(copies);
    const [broke, offline, stopped] = [
      await campaignOf(send),
      await campaignOf(send, { ...chatapp, sender_id: 9 }),
      await campaignOf(send),
    ];
    let isBroke = true;
    messaging.answer(({ payload }) => {
      const code = payload.sender_id === 9 ? 'sender_offline' : 'insufficient_balance';
      return isBroke || payload.sender_id === 9 ? { kind: 'rejected', rejection: { code } } : sent(1);
    });
    for (const id of [broke, offline, stopped]) {
      await leadOf(send, id);
      await tell(send, id, 'start');
      await untilLater(copies, id);
    }
    await tell(send, stopped, 'stop');
    isBroke = false;
    const [paid, other] = [send.accountId, asAccount(copies).accountId];
    for (const account of [other, paid]) {
      const payment = { amount_micros: 5_000_000, description: 'Invoice 7', reference: null };
      accounts.publish(BalanceToppedUp.type, 'balance', account, payment);
    }
    await eventually(async () => expect(await statuses(send)).toContain('completed'));
    expect((await statuses(send)).toSorted()).toEqual(['completed', 'queued', 'queued']);
    expect(askedBy(send).filter(({ payload }) => payload.sender_id === 9)).toHaveLength(1);
    isBroke = true;
    await leadOf(send, broke);
    await untilLater(copies, broke);
    isBroke = false;
    // The balance that an operator sets is lower, then higher.
    for (const amount_micros of [-1, 5_000_000])
      accounts.publish(BalanceAdjusted.type, 'balance', paid, { amount_micros, description: 'Correction' });
    await eventually(async () =>
      expect((await statuses(send)).filter((status) => status === 'completed')).toHaveLength(2),
    );
    const eventsOf = async (id: number) =>
      (await copies.ask(getHistory, { resource: `campaign/${id}` })).changes.map(({ event }) => event);
    expect((await eventsOf(stopped)).at(-1)).toBe('CampaignStopped');
    expect((await eventsOf(broke)).filter((event) => event === 'CampaignStarted')).toHaveLength(3);
  } finally {
    await accounts.close();
  }
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

test('a campaign that has reached somebody since it was held up goes on', async () => {
  const send = asAccount(copies);
  const bothQueued = Promise.withResolvers<void>();
  let first: string | null | undefined;
  messaging.answer(async ({ context: { commandId } }) => {
    first ??= commandId;
    if (commandId !== first) return sent(1);
    await bothQueued.promise;
    return { kind: 'rejected', rejection: { code: 'messaging_limit_reached' } };
  });
  const id = await campaignOf(send);
  await leadOf(send, id);
  await leadOf(send, id);
  await tell(send, id, 'start');
  await eventually(async () => expect(await statuses(send)).toEqual(['queued', 'queued']));
  bothQueued.resolve();
  await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'queued']));
  expect(await heldUpOf(send)).toBeNull();
  await leadOf(send, id);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed', 'queued']));
});

test('a campaign whose waiting lead is deleted is not held up for longer than it was to wait', async () => {
  const send = asAccount(copies);
  messaging.answer(() => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } }));
  const id = await campaignOf(send);
  const { id: lead } = await leadOf(send, id);
  await tell(send, id, 'start');
  await eventually(async () => expect(await heldUpOf(send)).not.toBeNull());
  await send(deleteLead, { id: lead });
  await pass(copies, 901);
  expect(await heldUpOf(send)).toBeNull();
});

rebuildsAreTheSame(() => copies);
