import { createTestStore, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automation, automationCategory, automationStream } from '../automation/automation.ts';
import { createAutomation, updateAutomation } from '../automation/change-automation.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { automationsView } from '../views/automations-view.ts';
import { createVersionsInForce } from './versions-in-force.ts';

test('the version of a moment is known in any order in which moments are asked for', async () => {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const now = await store.now();
  const definition = (cron: string) => ({
    trigger: { type: 'schedule', cron } as const,
    steps: [{ id: 'end', type: 'stop' } as const],
  });
  const about = { streamId: automationStream(4), category: automationCategory, accountId: 7 };
  const change = { isEnabled: true, tokenHash: null, now };
  const { events } = createAutomation(null, {
    ...change,
    id: 4,
    name: 'Hourly',
    definition: definition('0 * * * *'),
  });
  const before = await save(events);
  const saved = updateAutomation(events.reduce(automation.evolve, null), {
    ...change,
    definition: definition('30 * * * *'),
  });
  if ('code' in saved) throw new Error(saved.code);
  const after = await save(saved.events);
  const queries = new AutomationQueries(store.pool);
  const versionInForce = createVersionsInForce(queries);
  const row = await queries.find(4);
  if (!row) throw new Error('It was created.');
  const asked = [before, after, before, after, '2020-01-01T00:00:00.000000Z'];
  const found = [];
  for (const at of asked) found.push(await versionInForce(row, at));
  expect(found).toEqual([1, 2, 1, 2, undefined]);

  /** Appends, and tells when that was. */
  async function save(more: Parameters<typeof store.append>[0]['events']) {
    await store.append({ ...about, expectedVersion: 'any', events: more, metadata: testMetadata });
    const [last = expect.unreachable()] = (await store.readStream(about.streamId)).slice(-1);
    return last.recordedAt;
  }
});
