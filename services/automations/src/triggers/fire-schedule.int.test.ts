import type { AutomationDefinition } from '@parley/contracts';
import { createTestStore, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { createAutomation } from '../automation/change-automation.ts';
import { createDefinitions } from '../automation/definitions.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { StartRun } from '../run/start-run.ts';
import { automationsView } from '../views/automations-view.ts';
import { fireSchedule } from './fire-schedule.ts';

type Filter = AutomationDefinition['trigger']['filter'];
interface Schedule {
  readonly filter?: Filter;
  readonly misfire?: 'skip' | 'once';
}

/** What an hourly automation starts and puts on record when its moment comes late, half a minute when nothing is said. */
async function fired({ filter, misfire }: Schedule, lateMs = 30_000) {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const now = await store.now();
  const { events } = createAutomation(null, {
    id: 4,
    name: 'Hourly',
    definition: {
      trigger: { type: 'schedule', cron: '0 * * * *', filter, misfire },
      steps: [{ id: 'end', type: 'stop' }],
    },
    isEnabled: true,
    tokenHash: null,
    now,
  });
  const streamId = automationStream(4);
  const created = {
    category: automationCategory,
    accountId: 7,
    expectedVersion: 0,
    events,
    metadata: testMetadata,
  };
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
  const moment = new Date(now.getTime() - lateMs).toISOString();
  const payload = { automation_id: 4, scheduled_at: moment };
  const timer = { id: 'automation-schedule:4', kind: 'automation-schedule', dueAt: moment, payload };
  const append = await fire(timer, { store, metadata: testMetadata });
  expect(append).toMatchObject({ timers: [{ id: timer.id }] });
  return { starts, recorded: append?.events, moment, now };
}

test('the filter of a schedule sees what its run would see: how late it is, too', async () => {
  const late = { op: 'lt', left: '{{trigger.late_ms}}', right: 300_000 } as const;
  expect(await fired({ filter: late })).toMatchObject({
    starts: [{ automationId: 4, trigger: { payload: { late_ms: expect.any(Number) } } }],
    recorded: [],
  });
  expect(await fired({ filter: { not: late } })).toMatchObject({ starts: [], recorded: [] });
});

const hour = 3_600_000;

test('moments that are not made up for are on record, once for all that were missed together', async () => {
  const { starts, recorded, moment, now } = await fired({}, 6 * hour);
  expect(starts).toEqual([]);
  expect(recorded).toMatchObject([{ type: 'AutomationMomentsMissed', data: { first_at: moment } }]);
  const { next_at: next } = Object(recorded?.[0]?.data);
  expect(Date.parse(next) - now.getTime()).toBeLessThanOrEqual(hour);
  expect(Date.parse(next) - now.getTime()).toBeGreaterThan(0);
});

test('where the first missed moment is made up for, those after it are on record', async () => {
  const { starts, recorded, moment } = await fired({ misfire: 'once' }, 6 * hour);
  expect(starts).toHaveLength(1);
  const [missed] = recorded ?? [];
  const { first_at: first } = Object(missed?.data);
  expect(Date.parse(first) - Date.parse(moment)).toBeLessThanOrEqual(hour);
  expect(Date.parse(first)).toBeGreaterThan(Date.parse(moment));
});
