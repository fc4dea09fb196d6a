import { RequestTooLarge, ServiceUnavailable } from '@parley/message-bus';
import { expect, test } from 'vitest';
import type { Variables } from '../../lead/lead.ts';
import { CampaignWorld } from '../campaign-world.fixture.ts';

/** A campaign's one lead is queued. */
async function queueLead(
  world: CampaignWorld,
  variables: Variables = {},
  settings: Parameters<CampaignWorld['begin']>[0] = {},
): Promise<void> {
  await world.begin(settings);
  await world.addLead(0, variables);
  await world.tell('start');
  await world.pace();
}

/** How its first attempt ended. */
async function endOfAttempt(...[world, ...about]: Parameters<typeof queueLead>): Promise<unknown> {
  await queueLead(world, ...about);
  await world.reach();
  const history = await world.history(1);
  return history.find(({ type }) => type === 'LeadAttemptEnded')?.data;
}

/** The same where the one who is asked refuses. */
async function refused(refusal: CampaignWorld['refusal']) {
  const world = new CampaignWorld();
  world.mood = 'no';
  world.refusal = refusal;
  return { ended: await endOfAttempt(world), world };
}

const namesFor = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 'note']));

test('a lead whose variables come to more than a request can hold is failed, and the next one is reached', async () => {
  const world = new CampaignWorld();
  const ended = await endOfAttempt(
    world,
    { note: 'x'.repeat(240_000) },
    { variable_mapping: namesFor(2_500), retries: { max_attempts: 1, delay_minutes: 1 } },
  );
  expect(ended).toMatchObject({ outcome: 'failed', reason: 'The request body is too large.' });
  await world.addLead(0);
  await world.pace();
  world.now += 5_000;
  await world.pace();
  await world.reach();
  expect(world.calls).toMatchObject([{ leadId: 2 }]);
});

test('a lead whose request the bus does not carry is failed, not left in flight', async () => {
  const { ended } = await refused(new RequestTooLarge());
  expect(ended).toMatchObject({ outcome: 'failed', reason: 'The request body is too large.' });
});

test('a process that ends leaves a lead whose service gives no answer to the next one', async () => {
  const world = new CampaignWorld();
  world.mood = 'no';
  world.refusal = new ServiceUnavailable('Nobody listens.');
  await queueLead(world);
  const ending = new AbortController();
  world.closing = ending.signal;
  // By then it waits to ask again.
  setImmediate(() => {
    world.mood = 'ready';
    ending.abort();
  });
  await expect(world.reach()).rejects.toThrow(ServiceUnavailable);
  expect(world.calls).toEqual([]);
  world.closing = new AbortController().signal;
  await world.reach();
  expect(world.calls).toHaveLength(1);
});

test('a lead that was refused for now comes again as a new attempt, also where that is to be at once', async () => {
  const { world } = await refused({ code: 'messaging_limit_reached', retryAfterSeconds: 0 });
  world.mood = 'ready';
  world.now += 5_000;
  await world.pace();
  await world.reach();
  expect(await world.lead(1)).toMatchObject({ attempts: 2, attempt: { reference: '1' } });
});

test('a lead for whom no request can be built is failed, not left in flight', async () => {
  const broken = { variable_mapping: null as never };
  const ended = await endOfAttempt(new CampaignWorld(), {}, broken);
  expect(ended).toMatchObject({ outcome: 'failed', reason: 'Something went wrong on our side.' });
});

test('a lead at which its service failed unexpectedly may have been reached: it is asked for again for a quarter of an hour', async () => {
  const { ended, world } = await refused({ code: 'internal' });
  expect(ended).toBeUndefined();
  const reason = 'Something went wrong on our side.';
  expect((await world.history(1)).at(-1)?.data).toMatchObject({ reason, is_outcome_unknown: true });
  const later = async (ms: number) => {
    world.now += ms;
    await world.pace();
    await world.reach();
    return (await world.history(1)).at(-1);
  };
  expect(await later(14 * 60_000)).toMatchObject({ type: 'LeadAttemptWithdrawn', data: { attempt: 1 } });
  expect(await later(2 * 60_000)).toMatchObject({
    type: 'LeadAttemptEnded',
    data: { attempt: 1, outcome: 'failed', reason },
  });
});

test('nobody is asked for somebody who was erased while they waited: the next contact comes', async () => {
  const world = new CampaignWorld();
  await world.begin();
  await world.addLead(1);
  const erased = 'erased:0198c5a0-0000-7000-8000-000000000001';
  await world.changeNumber(1, erased);
  await world.tell('start');
  await world.pace();
  await world.reach();
  expect(world.calls).toEqual([]);
  expect((await world.history(1)).at(-1)).toMatchObject({
    type: 'LeadAttemptEnded',
    data: { outcome: 'failed', reason: 'This person was erased.', next: { contact_id: 1_010 } },
  });
});

test('what is wrong with a field is the reason why a lead failed', async () => {
  const { ended } = await refused({ code: 'invalid', fields: { to: ['The to must be a mobile.'] } });
  expect(ended).toMatchObject({ reason: 'The to must be a mobile.' });
});

test('a reason that is cut off in the midst of a character can be put on record', async () => {
  const { ended } = await refused({ code: 'invalid', message: `${'x'.repeat(499)}🙂` });
  expect(ended).toMatchObject({ outcome: 'failed', reason: `${'x'.repeat(499)}\ufffd` });
});

const byProvider = (provider_code: string) => ({
  code: 'send_failed',
  details: { outcome: 'not_sent', provider_code },
});
const refusedByProvider = (provider_code: string) => refused(byProvider(provider_code));

const ofSender = ['3', '10', '33', '100/33', '294', '368/2494055', '131005', '131031', '131037', '131042'];
const ofNumber = ['131045', '131048', '131058', '133010'];
const ofTemplate = ['132000', '132001', '132007', '132015', '132016'];

test.each([...ofSender, ...ofNumber, ...ofTemplate])(
  'what the chat platform says of the whole sender, or template, fails no lead: %s',
  async (code) => {
    const { ended, world } = await refusedByProvider(code);
    expect(ended).toBeUndefined();
    expect(await world.lead(1)).toMatchObject({ status: 'queued', next: { isHeldUp: true } });
  },
);

test.each(['10001', '20005', '20403', '21212', '21601', '21606', '21659', '21660', '21661', '21663'])(
  'nor does what the carrier says of the whole account, or of the number that sends: %s',
  async (code) => {
    const { ended } = await refusedByProvider(code);
    expect(ended).toBeUndefined();
  },
);

const perhapsForAll = [
  ['that SMS to a region are not sent', byProvider('21408')],
  ['that they are not from this number', byProvider('21612')],
  ['that the account may not write there', byProvider('130497')],
  ['that a template wants a value that the lead does not have', { code: 'variables_missing' }],
] as const;

test.each(perhapsForAll)(
  'what may be said of each lead slows its campaign down, and fails a lead that comes again: %s',
  async (_, rejection) => {
    const { ended, world } = await refused(rejection);
    expect(ended).toBeUndefined();
    const dueAt = new Date(world.now + 10_000).toISOString();
    expect(await world.lead(1)).toMatchObject({ status: 'queued', next: { dueAt, isHeldUp: true } });
    world.now += 10_000;
    await world.pace();
    await world.reach();
    expect(await world.lead(1)).toMatchObject({ status: 'failed', attempts: 2, next: null });
  },
);

test.each(perhapsForAll)(
  'of a list of which it is said nobody has failed in the first hour: %s',
  async (_, rejection) => {
    const world = new CampaignWorld();
    world.mood = 'no';
    world.refusal = rejection;
    await world.begin({ windows: [] });
    for (let count = 0; count < 100; count += 1) await world.addLead(0);
    await world.tell('start');
    const end = world.now + 3_600_000;
    while (world.now < end) {
      await world.pace();
      await world.reach();
      const [timer] = world.store.timers();
      world.now = Math.max(world.now, Date.parse(timer?.dueAt ?? ''));
    }
    const rows = await world.rows();
    expect(rows.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(rows.filter(({ status }) => status === 'created').length).toBeGreaterThan(30);
  },
);

test.each(['100', '100/2494010', '131026', '21211', '21610'])(
  'what is said of one message does: %s',
  async (code) => {
    const { ended } = await refusedByProvider(code);
    expect(ended).toMatchObject({ outcome: 'failed' });
  },
);

test('a retry whose answer was lost is asked for again where fewer attempts are wanted since, and the contact comes after it', async () => {
  const world = new CampaignWorld();
  await world.begin();
  await world.addLead(1);
  await world.tell('start');
  const [contact, lead] = ['+14155551001', '+14155551002'];
  const called = async (...phones: string[]) => {
    world.now += 61 * 60_000;
    await world.pace();
    await world.reach();
    expect(world.calls.map(({ phone }) => phone)).toEqual(phones);
  };
  await called(lead);
  world.end(0, 'no_answer');
  await world.hear();
  world.mood = 'lost';
  await called(lead, lead);
  world.mood = 'ready';
  await world.change({ retries: { max_attempts: 1, delay_minutes: 60 } });
  await called(lead, lead);
  expect((await world.lead(1))?.attempt).toMatchObject({ contactId: null, reference: '2' });
  world.end(0, 'no_answer');
  await world.hear();
  await called(lead, lead, contact);
});
