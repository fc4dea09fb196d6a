import type { AutomationDefinition } from '@parley/contracts';
import { createPostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { createAutomation } from '../automation/change-automation.ts';
import { createDefinitions } from '../automation/definitions.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { StartRun } from '../run/start-run.ts';
import { automationsView } from '../views/automations-view.ts';
import { fireSchedule } from './fire-schedule.ts';

const metadata = {
  correlationId: 'test',
  causationId: 'test',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

/** What an hourly automation with that filter starts when its moment comes half a minute late. */
async function startsOf(filter: AutomationDefinition['trigger']['filter']): Promise<readonly StartRun[]> {
  const { url, drop } = await createTestDatabase();
  const inlineProjector = createInlineProjector([automationsView]);
  const store = await createPostgresEventStore({ connectionString: url, inlineProjector });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  await prepareProjections(store.pool, [automationsView]);
  const now = await store.now();
  const { events } = createAutomation(null, {
    id: 4,
    name: 'Hourly',
    definition: {
      trigger: { type: 'schedule', cron: '0 * * * *', filter },
      steps: [{ id: 'end', type: 'stop' }],
    },
    isEnabled: true,
    tokenHash: null,
    now,
  });
  const streamId = automationStream(4);
  const created = { category: automationCategory, accountId: 7, expectedVersion: 0, events, metadata };
  await store.append({ streamId, ...created });
  const starts: StartRun[] = [];
  const fire = fireSchedule({
    definitions: createDefinitions(store.pool, actions),
    sql: store.pool,
    starter: {
      async start(request) {
        starts.push(request);
        return { kind: 'refused', reason: 'inactive' };
      },
    },
  });
  const moment = new Date(now.getTime() - 30_000).toISOString();
  const payload = { automation_id: 4, scheduled_at: moment };
  const timer = { id: 'automation-schedule:4', kind: 'automation-schedule', dueAt: moment, payload };
  expect(await fire(timer, { store, metadata })).toMatchObject({ timers: [{ id: timer.id }] });
  return starts;
}

test('the filter of a schedule sees what its run would see: how late it is, too', async () => {
  const late = { op: 'lt', left: '{{trigger.late_ms}}', right: 300_000 } as const;
  expect(await startsOf(late)).toMatchObject([
    { automationId: 4, trigger: { payload: { late_ms: expect.any(Number) } } },
  ]);
  expect(await startsOf({ not: late })).toEqual([]);
});
