import type { AutomationDefinition, RunEvent } from '@parley/contracts';
import { createPostgresEventStore } from '@parley/event-store';
import { startTimers } from '@parley/processing';
import { createTestStore, eventually, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { createAutomation } from '../automation/change-automation.ts';
import { createDefinitions } from '../automation/definitions.ts';
import { actions } from '../definition/definition.fixture.ts';
import type { StartRun } from '../run/advance/start-run.ts';
import { runCategory, runIdOf, runStream } from '../run/run.ts';
import { automationsView } from '../views/automations-view.ts';
import { fireSchedule } from './fire-schedule.ts';

type Filter = AutomationDefinition['trigger']['filter'];
interface Schedule {
  /** Every full hour where nothing is said. */
  readonly cron?: string;
  readonly filter?: Filter;
  readonly misfire?: 'skip' | 'once';
}

const about = { category: automationCategory, accountId: 7, expectedVersion: 0, metadata: testMetadata };
const id = 'automation-schedule:4';
const kind = 'automation-schedule';

/** The append that begins an hourly automation. */
const hourly = (now: Date, { cron = '0 * * * *', filter, misfire }: Schedule = {}, automationId = 4) => {
  const { events } = createAutomation(null, {
    id: automationId,
    name: 'Hourly',
    definition: {
      trigger: { type: 'schedule', cron, filter, misfire },
      steps: [{ id: 'end', type: 'stop' }],
    },
    isEnabled: true,
    tokenHash: null,
    now,
  });
  return { ...about, streamId: automationStream(automationId), events };
};

/** Fires schedules, and what runs that starts. */
function firing({ pool }: Awaited<ReturnType<typeof createTestStore>>) {
  const starts: StartRun[] = [];
  const fire = fireSchedule({
    definitions: createDefinitions(pool, actions),
    sql: pool,
    starter: {
      async start(request) {
        starts.push(request);
        return { kind: 'refused', reason: 'inactive' };
      },
    },
  });
  return { fire, starts };
}

/**
 * What an hourly automation starts and puts on record when its moment comes late, half a minute when nothing is said;
 * `hasRun` when its run had begun before its process died.
 */
async function fired(schedule: Schedule, lateMs = 30_000, { hasRun = false } = {}) {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const now = await store.now();
  await store.append(hourly(now, schedule));
  const { fire, starts } = firing(store);
  const moment = new Date(now.getTime() - lateMs).toISOString();
  const payload = { automation_id: 4, scheduled_at: moment };
  if (hasRun)
    await store.append({
      ...about,
      streamId: runStream(runIdOf(4, `schedule:${moment}`)),
      category: runCategory,
      events: golden<RunEvent>('RunStarted.v1'),
    });
  const append = await fire({ id, kind, dueAt: moment, payload }, { store, metadata: testMetadata });
  expect(append).toMatchObject({ timers: [{ id }] });
  const [next] = append?.timers ?? [];
  return { starts, recorded: append?.events, next, moment, now, after: await store.now() };
}

test('the filter of a schedule sees what its run would see: how late it is, too', async () => {
  const late = { op: 'lt', left: '{{trigger.late_ms}}', right: 300_000 } as const;
  expect(await fired({ filter: late })).toMatchObject({
    starts: [{ automationId: 4, trigger: { payload: { late_ms: expect.any(Number) } } }],
    recorded: [],
  });
  expect(await fired({ filter: { not: late } })).toMatchObject({ starts: [], recorded: [] });
});

const minute = 60_000;
const hour = 60 * minute;
/** The cron of an hourly schedule whose last moment was so many minutes ago. */
const minutesAgo = (minutes: number) => `${(Math.floor(Date.now() / minute) - minutes) % 60} * * * *`;

test('moments that are not made up for are on record, once for all that were missed together', async () => {
  const { starts, recorded, moment, now, after } = await fired({ cron: minutesAgo(30) }, 6 * hour);
  expect(starts).toEqual([]);
  expect(recorded).toMatchObject([{ type: 'AutomationMomentsMissed', data: { first_at: moment } }]);
  const { next_at: next } = Object(recorded?.[0]?.data);
  expect(Date.parse(next) - after.getTime()).toBeLessThanOrEqual(hour);
  expect(Date.parse(next) - now.getTime()).toBeGreaterThan(0);
});

test.each(['skip', 'once'] as const)(
  'a moment of the last five minutes gets its run, also where those before it were missed: %s',
  async (misfire) => {
    const { recorded, next, now } = await fired({ cron: minutesAgo(2), misfire }, 6 * hour);
    const { at } = Object(next?.due);
    expect(now.getTime() - Date.parse(at)).toBeGreaterThan(minute);
    expect(now.getTime() - Date.parse(at)).toBeLessThan(4 * minute);
    expect(next?.payload).toEqual({ automation_id: 4, scheduled_at: at });
    expect(recorded).toMatchObject([{ type: 'AutomationMomentsMissed', data: { next_at: at } }]);
  },
);

test('a moment whose run had begun was not missed, however late that is found', async () => {
  const { starts, recorded, moment } = await fired({}, 6 * hour, { hasRun: true });
  expect(starts).toEqual([]);
  const { first_at: first } = Object(recorded?.[0]?.data);
  expect(Date.parse(first)).toBeGreaterThan(Date.parse(moment));
});

test('where the first missed moment is made up for, those after it are on record', async () => {
  const { starts, recorded, moment } = await fired({ misfire: 'once' }, 6 * hour);
  expect(starts).toHaveLength(1);
  const [missed] = recorded ?? [];
  const { first_at: first } = Object(missed?.data);
  expect(Date.parse(first) - Date.parse(moment)).toBeLessThanOrEqual(hour);
  expect(Date.parse(first)).toBeGreaterThan(Date.parse(moment));
});

test.each(['AutomationDeactivated', 'AutomationDeleted'] as const)(
  'a timer that is handled after %s starts nothing, and sets no other',
  async (type) => {
    const store = await createTestStore([automationsView]);
    onTestFinished(() => store.close());
    const now = await store.now();
    const begin = hourly(now);
    await store.append(begin);
    const at = now.toISOString();
    await store.append({ ...begin, expectedVersion: 'any', events: [{ type, data: { at } }] });
    const { fire, starts } = firing(store);
    const timer = { id, kind, dueAt: at, payload: { automation_id: 4, scheduled_at: at } };
    expect(await fire(timer, { store, metadata: testMetadata })).toBeUndefined();
    expect(starts).toEqual([]);
  },
);

test('a moment that comes before the view shows its automation waits for that, and the next one follows', async () => {
  const store = await createTestStore([automationsView]);
  // As a copy of another release does, it writes other views.
  const other = await createPostgresEventStore({
    connectionString: store.pool.options.connectionString ?? '',
  });
  const { fire, starts } = firing(store);
  const problems: string[] = [];
  const onProblem = ({ error }: { readonly error: unknown }) => problems.push(String(error));
  const timers = startTimers({ store, pool: store.pool, handlers: { [kind]: fire }, onProblem });
  onTestFinished(async () => {
    await timers.close();
    await other.close();
    await store.close();
  });
  const now = await store.now();
  const at = now.toISOString();
  const timer = { id, kind, due: { at }, payload: { automation_id: 4, scheduled_at: at } };
  await other.append({ ...hourly(now), timers: [timer] });
  await eventually(async () => expect(problems).toContainEqual(expect.stringContaining('automation-4')));
  expect(starts).toEqual([]);
  // With it this copy brings up its views.
  await store.append(hourly(now, {}, 5));
  await eventually(async () => {
    expect(starts).toMatchObject([{ automationId: 4, trigger: { eventId: `schedule:${at}` } }]);
    const { rows } = await store.pool.query('select due_at > es.now() as waits from es.timers');
    expect(rows).toEqual([{ waits: true }]);
  });
});
