import type { AutomationDefinition } from '@parley/contracts';
import { createPostgresEventStore, type NewEvent } from '@parley/event-store';
import { createLogger, keyring } from '@parley/process-kit';
import { createInlineProjector, createOwnershipKeeper } from '@parley/processing';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { compileDefinition } from '../definition/compile-definition.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { Definitions } from '../engine/ports.ts';
import { startEngine } from '../engine/start-engine.ts';
import { createRunStarter } from '../engine/starter.ts';
import { createPostgresPayloads } from '../payloads/postgres-payloads.ts';
import { automationsView } from '../views/automations-view.ts';
import { runsTable, runsView } from '../views/runs-view.ts';
import { automation, automationCategory, automationStream } from './automation.ts';
import { createAutomation, updateAutomation } from './change-automation.ts';
import { createDefinitions } from './definitions.ts';

const definition = (name: string): AutomationDefinition => ({
  trigger: { type: 'webhook.inbound' },
  steps: [{ id: 'end', type: 'stop', name }],
});
const change = { tokenHash: null, now: new Date('2026-11-21T09:30:00Z') };
const about = { category: automationCategory, accountId: 7, metadata: testMetadata };

/** Copies of two releases: what `older` appends is not in the view of automations of `store` until that appends, too. */
async function twoReleases() {
  const store = await createTestStore([automationsView, runsView]);
  const { connectionString = '' } = store.pool.options;
  const older = await createPostgresEventStore({
    connectionString,
    inlineProjector: createInlineProjector([runsView]),
  });
  onTestFinished(async () => {
    await older.close();
    await store.close();
  });
  const appendTo = (id: number, expectedVersion: number, events: readonly NewEvent[]) => ({
    ...about,
    streamId: automationStream(id),
    expectedVersion,
    events,
  });
  const created = (id: number) =>
    createAutomation(null, { ...change, id, name: 'A', definition: definition('first'), isEnabled: true });
  const first = created(4).events;
  const changed = updateAutomation(first.reduce(automation.evolve, null), {
    ...change,
    definition: definition('second'),
  });
  return {
    store,
    older,
    create: () => appendTo(4, 0, first),
    change: () => appendTo(4, first.length, 'events' in changed ? changed.events : []),
    other: () => appendTo(5, 0, created(5).events),
  };
}

/** Starts a run by the older release, and carries it out by the newer one. */
async function run({ store, older }: Awaited<ReturnType<typeof twoReleases>>, version: number) {
  const { pool } = store;
  const real = createDefinitions(pool, actions);
  let looks = 0;
  const counted = <T>(found: Promise<T>) =>
    found.finally(() => {
      looks += 1;
    });
  const definitions: Definitions = {
    load: (...version) => counted(real.load(...version)),
    standing: (id) => counted(real.standing(id)),
  };
  const payloads = createPostgresPayloads(pool, keyring().parse(undefined));
  const ownership = createOwnershipKeeper(pool);
  const engine = startEngine({
    connections: { resolve: () => Promise.reject(new Error('There is none.')) },
    definitions,
    logger: createLogger({ service: 'automations', level: 'silent' }),
    maxConcurrentRuns: 4,
    onProblem: () => undefined,
    ownership,
    payloads,
    pool,
    sql: pool,
    store,
  });
  onTestFinished(async () => {
    await engine.close();
    await ownership.close();
  });
  const name = version === 1 ? 'first' : 'second';
  const { compiled } = compileDefinition(definition(name), { automationId: 4, version, actions });
  const known: Definitions = {
    load: async () => compiled,
    standing: async () => ({ accountId: 7, version, status: 'active' }),
  };
  await createRunStarter({ store: older, definitions: known, payloads }).start({
    automationId: 4,
    version,
    trigger: { type: 'webhook.inbound', eventId: 'webhook:1', payload: {} },
    chainDepth: 0,
    correlationId: 'a',
  });
  await eventually(() => expect(looks).toBeGreaterThan(1));
  return async () => (await pool.query<{ status: string }>(`select status from ${runsTable}`)).rows;
}

test('a run of an automation that the view does not show yet waits for that', async () => {
  const releases = await twoReleases();
  await releases.older.append(releases.create());
  const runs = await run(releases, 1);
  await releases.store.append(releases.other());
  await eventually(async () => expect(await runs()).toEqual([{ status: 'SUCCEEDED' }]));
});

test('a run by a version that the view does not show yet waits for that', async () => {
  const releases = await twoReleases();
  await releases.store.append(releases.create());
  await releases.older.append(releases.change());
  const runs = await run(releases, 2);
  await releases.store.append(releases.other());
  await eventually(async () => expect(await runs()).toEqual([{ status: 'SUCCEEDED' }]));
});

test('an automation that there never was, and a version, are not found', async () => {
  const releases = await twoReleases();
  await releases.store.append(releases.create());
  const definitions = createDefinitions(releases.store.pool, actions);
  expect(await definitions.standing(9)).toBeUndefined();
  expect(await definitions.load(9, 1)).toBeUndefined();
  expect(await definitions.load(4, 2)).toBeUndefined();
});
