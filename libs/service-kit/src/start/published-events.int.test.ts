import type { RecordedEventMessage } from '@parley/contracts';
import { type AppendRequest, createPostgresEventStore } from '@parley/event-store';
import { keyring, newKey } from '@parley/process-kit';
import { createTestDatabase, eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openSeals } from '../sealing/open-seals.ts';
import { publishedEvents } from './published-events.ts';

const ada = '+491701234567';
const keys = keyring().parse(newKey());

async function newDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

/** One copy of a service, and what its publisher is told. */
async function openCopy(connectionString: string) {
  const onError = (error: unknown) => {
    throw error;
  };
  const { seals, close } = await openSeals({ connectionString, keyring: keys, onError });
  const store = await createPostgresEventStore({ connectionString, seals });
  const published = publishedEvents(store, seals);
  const told: (readonly RecordedEventMessage[])[] = [];
  const stop = published.onAppended((events) => told.push(events));
  onTestFinished(async () => {
    stop();
    await store.close();
    await close();
  });
  return { store, published, told };
}

const leadCreated = (n: number, overrides: Partial<AppendRequest> = {}): AppendRequest => ({
  streamId: `lead-${n}`,
  category: 'lead',
  accountId: 1,
  events: [
    {
      type: 'LeadCreated',
      data: {
        ...{
          id: n,
          campaign_id: 5,
          phone_number: ada,
          variables: { name: 'Ada' },
          imported: null,
          at: 'now',
        },
        secondary_contacts: [{ id: 9, phone_number: '+14155552671', variables: {} }],
      },
    },
  ],
  expectedVersion: 0,
  metadata: { correlationId: 'c', causationId: 'c', commandId: null, actor: { kind: 'system', id: 'test' } },
  ...overrides,
});

test('what was sealed here goes to the bus without people and as the log has it, and the log is not read', async () => {
  const { store, published, told } = await openCopy(await newDatabase());
  await Promise.all([1, 2, 3].map((n) => store.append(leadCreated(n))));
  await store.append(
    leadCreated(4, { events: [{ type: 'LeadDeleted', data: { campaign_id: 5, at: 'now' } }] }),
  );
  await eventually(() => expect(told.flat()).toHaveLength(4));
  expect(told.flat()).toEqual((await published.readPage(0, 9)).events);
  expect(told.flat().map(({ sealed }) => sealed)).toEqual([true, true, true, undefined]);
  expect(JSON.stringify(told)).not.toMatch(/Ada|\+\d/);
});

test('what another copy sealed, or an id of the caller’s own names, has to be read', async () => {
  const url = await newDatabase();
  const [here, there] = [await openCopy(url), await openCopy(url)];
  await there.store.append(leadCreated(1));
  await eventually(() => expect(here.told.length).toBeGreaterThan(0));
  const [event] = leadCreated(2).events;
  const named = event ? [{ ...event, eventId: '0193e2a0-0000-7000-8000-00000000000a' }] : [];
  const before = here.told.length;
  await here.store.append(leadCreated(2, { events: named }));
  await eventually(() => expect(here.told.length).toBeGreaterThan(before));
  expect(here.told.flat()).toEqual([]);
  expect(JSON.stringify(await here.published.readPage(0, 9))).not.toMatch(/Ada|\+\d/);
});
