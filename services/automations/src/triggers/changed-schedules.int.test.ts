import { createAutomation, updateAutomation } from '@parley/contracts';
import { setClockOffset } from '@parley/event-store';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { automationsService } from '../automations-service.ts';

let copies: ServiceCopies;
beforeEach(async () => {
  copies = await startServiceCopies(automationsService, 2);
});
afterEach(() => copies?.close());

const minuteMs = 60_000;
const account = { accountId: 7 };
const end = { id: 'end', type: 'stop' };
const scheduled = (cron: string, more: object = {}) => ({
  trigger: { type: 'schedule', cron, ...more },
  steps: [end],
});

async function ok(message: typeof createAutomation | typeof updateAutomation, payload: object) {
  const reply = await copies.send(message, payload, account);
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body);
}
const create = async (flow: object): Promise<string> =>
  (await ok(createAutomation, { name: 'Reports', flow })).automation_id;
const save = (id: string, flow: object) => ok(updateAutomation, { id, flow });

async function rowsOf<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await copies.pool.query<Row>(text, values)).rows;
}

/** The moments that runs were started for, with the version of each. */
const startedAt = async () =>
  (
    await rowsOf<{ moment: string }>(
      `select substr(data->'trigger'->>'event_id', 10) || ' v' || (data->>'version') as moment
       from es.events where type = 'RunStarted' order by position`,
    )
  ).map(({ moment }) => moment);
const nextOf = async (id: string) =>
  (
    await rowsOf<{ due_at: Date }>('select due_at from es.timers where id = $1', [
      `automation-schedule:${id}`,
    ])
  ).map((row) => row.due_at.toISOString());
const notes = () =>
  rowsOf<{ data: object }>(
    `select data from es.events where type = 'AutomationMomentsMissed' order by position`,
  );

/** Moves the platform clock to so long after the moment. */
async function pass(moment: string, lateMs: number): Promise<void> {
  const [row] = await rowsOf<{ now: Date }>('select clock_timestamp() as now');
  await setClockOffset(copies.pool, (Date.parse(moment) + lateMs - Number(row?.now)) / 1_000);
}

/** While it lasts no copy gets to the automation's timer, as during an outage. */
async function holdingTimerOf<T>(id: string, work: () => Promise<T>): Promise<T> {
  const client = await copies.pool.connect();
  const lock = `hashtextextended('timer:automation-schedule:${id}', 0)`;
  try {
    await client.query(`select pg_advisory_lock(${lock})`);
    return await work();
  } finally {
    await client.query(`select pg_advisory_unlock(${lock})`);
    client.release();
  }
}

const later = (moment: string, ms: number) => new Date(Date.parse(moment) + ms).toISOString();

test('a moment that no timer got to before a changed definition was saved starts its run once', async () => {
  const id = await create(scheduled('0 * * * *'));
  const [moment = ''] = await nextOf(id);
  await holdingTimerOf(id, async () => {
    await pass(moment, 1_000);
    await save(id, scheduled('30 * * * *'));
    expect(await startedAt()).toEqual([`${moment} v1`]);
    expect(await nextOf(id)).toEqual([later(moment, 30 * minuteMs)]);
  });
  await pass(moment, 31 * minuteMs);
  await eventually(async () =>
    expect(await startedAt()).toEqual([`${moment} v1`, `${later(moment, 30 * minuteMs)} v2`]),
  );
  expect(await notes()).toEqual([]);
});

test('nor is any other moment of the last five minutes lost with the definition that it belongs to', async () => {
  const id = await create(scheduled('* * * * *'));
  const [moment = ''] = await nextOf(id);
  await holdingTimerOf(id, async () => {
    await pass(moment, 2 * minuteMs + 1_000);
    await save(id, scheduled('30 * * * *'));
  });
  const moments = [0, 1, 2].map((index) => later(moment, index * minuteMs));
  expect(await startedAt()).toEqual(moments.map((each) => `${each} v1`));
  expect(await notes()).toEqual([]);
});

test('a moment that has come is no less one when the automation gets another trigger', async () => {
  const id = await create(scheduled('0 * * * *'));
  const [moment = ''] = await nextOf(id);
  await holdingTimerOf(id, async () => {
    await pass(moment, 1_000);
    await save(id, { trigger: { type: 'lead.created' }, steps: [end] });
  });
  expect(await startedAt()).toEqual([`${moment} v1`]);
  expect(await nextOf(id)).toEqual([]);
});

test('moments that were missed are those of the definition which was in force, whatever is saved afterwards', async () => {
  const id = await create(scheduled('0 * * * *', { misfire: 'once' }));
  const [moment = ''] = await nextOf(id);
  await holdingTimerOf(id, async () => {
    await pass(moment, 150 * minuteMs);
    await save(id, scheduled('*/15 * * * *', { misfire: 'once' }));
    await save(id, scheduled('*/20 * * * *', { misfire: 'once' }));
  });
  expect(await startedAt()).toEqual([`${moment} v1`]);
  expect(await notes()).toMatchObject([
    { data: { first_at: later(moment, 60 * minuteMs), next_at: later(moment, 180 * minuteMs) } },
  ]);
  expect(await nextOf(id)).toEqual([later(moment, 160 * minuteMs)]);
});

test('an automation that is turned off starts nothing any more, nor for a moment that has come', async () => {
  const id = await create(scheduled('0 * * * *'));
  const [moment = ''] = await nextOf(id);
  await holdingTimerOf(id, async () => {
    await pass(moment, 1_000);
    await ok(updateAutomation, { id, enabled: false, flow: scheduled('30 * * * *') });
  });
  expect(await nextOf(id)).toEqual([]);
  expect(await startedAt()).toEqual([]);
});

test('each moment starts one run while definitions are saved as timers fire, on two copies', async () => {
  const id = await create(scheduled('* * * * *'));
  const [first = ''] = await nextOf(id);
  const moments = Array.from({ length: 12 }, (_, index) => later(first, index * minuteMs));
  for (const [index, moment] of moments.entries()) {
    await eventually(async () => expect(await nextOf(id)).toEqual([moment]));
    const saved = [`${index}`, `${index} too`].map((name) =>
      save(id, { ...scheduled('* * * * *'), steps: [{ ...end, name }] }),
    );
    await Promise.all([pass(moment, 10), ...saved]);
  }
  await eventually(async () =>
    expect((await startedAt()).map((each) => each.split(' ')[0])).toEqual(moments),
  );
  expect(await notes()).toEqual([]);
});
