import type { CampaignEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaignStream } from '../../campaign/campaign.ts';
import { CampaignWorld } from '../campaign-world.fixture.ts';
import { paceCampaigns } from './pace-campaigns.ts';
import { paceTimer } from './pace-timer.ts';

/** What the timer of a campaign comes to while the view has not heard of it. */
async function fire(...events: readonly CampaignEvent[]) {
  const store = createInMemoryEventStore();
  const about = { category: 'campaign', accountId: 7, expectedVersion: 0, metadata: testMetadata };
  await store.append({ streamId: campaignStream(3), ...about, events });
  const sql = { query: async () => ({ rows: [], rowCount: 0 }) };
  const { id, kind, payload } = paceTimer(3, 'request-1');
  const timer = { id, kind, payload, dueAt: '2026-11-23T12:00:00.000Z' };
  return paceCampaigns(new Aggregates(store), sql)(timer, { store, metadata: testMetadata });
}

const created = golden<CampaignEvent>('CampaignCreated.v1');
const started = golden<CampaignEvent>('CampaignStarted.v1');

test('a running campaign that the view has not heard of yet looks again', async () => {
  expect(await fire(...created, ...started)).toMatchObject({
    events: [],
    timers: [{ kind: 'pace-campaign' }],
  });
});

test('one that does not run does not look again', async () => {
  expect(await fire(...created)).toBeUndefined();
});

test('a campaign that is started anew after it was held up calls nobody again before it is time', async () => {
  const world = new CampaignWorld();
  await world.begin();
  await world.addLead(0);
  await world.addLead(0);
  await world.tell('start');
  const goOn = async (ms: number) => {
    world.now += ms;
    await world.pace();
    await world.reach();
  };
  await goOn(0);
  world.end(0, 'no_answer');
  await world.hear();
  world.mood = 'later';
  await goOn(2_000);
  expect(await world.lead(2)).toMatchObject({ next: { isHeldUp: true } });
  await world.delete(2);
  await world.tell('stop');
  world.mood = 'ready';
  await world.tell('start');
  await goOn(2_000);
  expect(world.calls).toHaveLength(1);
  await goOn(60 * 60_000);
  expect(world.calls).toHaveLength(2);
});
