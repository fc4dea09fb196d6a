import { setImmediate } from 'node:timers/promises';
import { type AutomationDefinition, LeadCreated } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import type { BusReply, BusRequest } from '@parley/message-bus';
import { ownLog, startReactors } from '@parley/processing';
import { createTestStore, eventually, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automation, automationCategory, automationStream } from '../automation/automation.ts';
import {
  type AutomationChange,
  createAutomation,
  updateAutomation,
} from '../automation/change-automation.ts';
import { createDefinitions } from '../automation/definitions.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { StartRun } from '../run/advance/start-run.ts';
import { automationsView } from '../views/automations-view.ts';
import { followEvents } from './follow-events.ts';

const [created] = golden<{ data: object }>('LeadCreated.v1');

type Store = Awaited<ReturnType<typeof createTestStore>>;

/**
 * Accounts, each with so many automations that listen for leads. What assistants say of campaigns, and which leads start
 * runs; `beforehand` is what happens before anybody hears of it.
 */
async function listening(
  answer: (campaignId: number) => BusReply,
  accounts: Record<number, number> = { 7: 1, 8: 1 },
  beforehand: (store: Store) => Promise<void> = async () => undefined,
) {
  const store = await createTestStore([automationsView]);
  const now = await store.now();
  const owners = Object.entries(accounts).flatMap(([account, count]) =>
    Array<number>(count).fill(Number(account)),
  );
  for (const [id, accountId] of owners.entries()) {
    const { events } = createAutomation(null, {
      id,
      name: 'Leads',
      definition: { trigger: { type: 'lead.created' }, steps: [{ id: 'end', type: 'stop' }] },
      isEnabled: true,
      tokenHash: null,
      now,
    });
    const about = { category: automationCategory, accountId, expectedVersion: 0, metadata: testMetadata };
    await store.append({ streamId: automationStream(id), ...about, events });
  }
  const starts: StartRun[] = [];
  let [underWay, mostUnderWay] = [0, 0];
  const bus = {
    request: async ({ payload }: BusRequest) => answer(JSON.parse(String(payload)).campaign_id),
    close: async () => undefined,
  };
  const reactors = followEvents({
    bus,
    definitions: createDefinitions(store.pool, actions),
    eventsOf: () => ownLog(store),
    sql: store.pool,
    store,
    starter: {
      async start(request) {
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        await setImmediate();
        underWay -= 1;
        starts.push(request);
        return { kind: 'refused', reason: 'inactive' };
      },
    },
  });
  await beforehand(store);
  const running = startReactors({ store, pool: store.pool, reactors });
  onTestFinished(async () => {
    await running.close();
    await store.close();
  });
  return {
    store,
    mostUnderWay: () => mostUnderWay,
    leadOf: (accountId: number, campaignId: number) => addLead(store, accountId, campaignId),
    campaigns: () => starts.map(({ trigger }) => Object(trigger.payload).campaign_id),
  };
}

const addLead = (store: Store, accountId: number, campaign_id: number, more: object = {}) =>
  store.append({
    streamId: `lead-${campaign_id}`,
    category: 'lead',
    accountId,
    events: [{ type: LeadCreated.type, data: { ...created?.data, campaign_id, ...more } }],
    expectedVersion: 0,
    metadata: testMetadata,
  });

/** Saves the one automation of account 7 with another trigger. */
const retrigger = (store: Store, trigger: AutomationDefinition['trigger']): Promise<void> =>
  change(store, { definition: { trigger, steps: [{ id: 'end', type: 'stop' }] } });

/** Changes the one automation of account 7. */
async function change(store: Store, what: Pick<AutomationChange, 'definition' | 'isEnabled'>): Promise<void> {
  const streamId = automationStream(0);
  const { state, version } = await new Aggregates(store).load(streamId, automation);
  const decision = updateAutomation(state, { ...what, tokenHash: null, now: await store.now() });
  if ('code' in decision) throw new Error(decision.code);
  const about = { category: automationCategory, accountId: 7, metadata: testMetadata };
  await store.append({ streamId, ...about, expectedVersion: version, events: decision.events });
}

const found: BusReply = { kind: 'ok', body: '{"lead":null,"campaign":null}' };
const no = (code: string): BusReply => ({ kind: 'rejected', rejection: { code } });

test('an account about whose leads nothing can be said at present holds up no other', async () => {
  let mood = no('contended');
  const { leadOf, campaigns } = await listening((campaignId) => (campaignId === 71 ? mood : found));
  for (const [accountId, campaignId] of [
    [7, 71],
    [7, 72],
    [8, 81],
  ] as const)
    await leadOf(accountId, campaignId);
  await eventually(() => expect(campaigns()).toEqual([81]));
  mood = found;
  await eventually(() => expect(campaigns()).toEqual([81, 71, 72]));
});

test('a lead that is refused for good is set aside, and those behind it start their runs', async () => {
  const { leadOf, campaigns } = await listening((campaignId) => (campaignId === 71 ? no('internal') : found));
  await leadOf(7, 71);
  await leadOf(7, 72);
  await eventually(() => expect(campaigns()).toEqual([72]));
});

test('what happened while an automation listened to something else starts no run of it, however late it is heard of', async () => {
  const { leadOf, campaigns } = await listening(
    () => found,
    { 7: 1 },
    async (store) => {
      await retrigger(store, { type: 'call.completed' });
      await addLead(store, 7, 71);
      await retrigger(store, { type: 'lead.created', campaign_id: 73 });
      await addLead(store, 7, 72);
      await retrigger(store, { type: 'lead.created' });
      await addLead(store, 7, 74);
      await retrigger(store, { type: 'lead.created', filter: { op: 'exists', left: '{{trigger.lead}}' } });
    },
  );
  await leadOf(7, 75);
  await eventually(() => expect(campaigns()).toEqual([74, 75]));
});

test('what happened before an automation was turned on starts no run of it, also where it was on before that', async () => {
  const { leadOf, campaigns } = await listening(
    () => found,
    { 7: 1 },
    async (store) => {
      await addLead(store, 7, 71);
      await change(store, { isEnabled: false });
      await addLead(store, 7, 72);
      await change(store, { isEnabled: true });
      await addLead(store, 7, 73);
    },
  );
  await leadOf(7, 74);
  await eventually(() => expect(campaigns()).toEqual([73, 74]));
});

test('what waits to be heard of a customer who is erased meanwhile starts no run', async () => {
  const { leadOf, campaigns } = await listening(
    () => found,
    { 7: 1 },
    // As the log gives it back by then.
    async (store) => void (await addLead(store, 7, 71, { phone_number: 'erased:12', variables: {} })),
  );
  await leadOf(7, 72);
  await eventually(() => expect(campaigns()).toEqual([72]));
});

test('an event that waits for long is for who listens when its turn comes', async () => {
  let asked = 0;
  const { store, leadOf, campaigns } = await listening(() => {
    asked += 1;
    return no('contended');
  });
  await leadOf(7, 71);
  const last = await store.head();
  await eventually(() => expect(asked).toBeGreaterThan(1));
  await retrigger(store, { type: 'call.completed' });
  await eventually(async () => {
    const { rows } = await store.pool.query<{ position: number }>(
      `select position from es.checkpoints where processor = 'reactor:triggers-of-assistants'`,
    );
    expect(rows[0]?.position).toBeGreaterThanOrEqual(last);
  });
  expect(campaigns()).toEqual([]);
});

test('an event to which very many automations listen starts their runs a few at a time', async () => {
  const { leadOf, campaigns, mostUnderWay } = await listening(() => found, { 7: 45, 8: 1 });
  await leadOf(7, 71);
  await eventually(() => expect(campaigns()).toEqual(Array(45).fill(71)));
  expect(mostUnderWay()).toBeLessThanOrEqual(10);
});
