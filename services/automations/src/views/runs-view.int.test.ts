import { readdirSync, readFileSync } from 'node:fs';
import type { RunEvent } from '@parley/contracts';
import { createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase } from '@parley/testing';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run/fold-run.ts';
import { type RunState, runCategory, runStream } from '../run/run.ts';
import { newestRuns } from './run-queries.ts';
import { runsTable, runsView } from './runs-view.ts';

const folder = new URL('../../golden/runs/', import.meta.url);
const histories = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file): RunEvent[] => JSON.parse(readFileSync(new URL(file, folder), 'utf8')).events);

let store: PostgresEventStore;
let drop: () => Promise<void>;

beforeEach(async () => {
  const database = await createTestDatabase();
  ({ drop } = database);
  store = await createPostgresEventStore({
    connectionString: database.url,
    inlineProjector: createInlineProjector([runsView]),
  });
  await prepareProjections(store.pool, [runsView]);
});
afterEach(async () => {
  await store.close();
  await drop();
});

/** As the history of a run of its own, in parts: one append for each. */
async function record(
  events: readonly RunEvent[],
  cuts: readonly number[],
  automationId = 7,
): Promise<string> {
  const id = uuidv7();
  const bounds = [...cuts, events.length];
  let from = 0;
  for (const to of bounds) {
    const part = events
      .slice(from, to)
      .map((event) =>
        event.type === 'RunStarted'
          ? { ...event, data: { ...event.data, run_id: id, automation_id: automationId } }
          : event,
      );
    const result = await store.append({
      streamId: runStream(id),
      category: runCategory,
      accountId: 3,
      expectedVersion: from,
      events: part,
      metadata: {
        correlationId: 'test',
        causationId: 'test',
        commandId: null,
        actor: { kind: 'system', id: 'test' },
      },
    });
    expect(result.kind).toBe('appended');
    from = to;
  }
  return id;
}

test('a row is what the history folds to, however the history is cut into appends', async () => {
  const recorded = await Promise.all(
    histories.flatMap((events) => [
      record(events, []).then((id) => ({ id, events })),
      ...events.slice(1).map((_, index) => record(events, [index + 1]).then((id) => ({ id, events }))),
      record(
        events,
        events.slice(1).map((_, index) => index + 1),
      ).then((id) => ({ id, events })),
    ]),
  );
  const { rows } = await store.pool.query(
    `select id, status, phase, active_ms, active_since, started_at from ${runsTable}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, events } of recorded) {
    const state = events.reduce<RunState>(run.evolve, run.initialState);
    expect(byId.get(id)).toEqual({
      id,
      status: state?.status,
      phase: state?.phase,
      active_ms: state?.activeMs,
      active_since: state?.activeSince ? new Date(state.activeSince) : null,
      started_at: new Date(state?.startedAt ?? ''),
    });
  }
});

test('runs are listed newest first, as many as asked for, of one automation alone', async () => {
  const [history = []] = histories;
  const shifted = (minutes: number): RunEvent[] =>
    history.map((event) =>
      event.type === 'RunStarted'
        ? { ...event, data: { ...event.data, at: new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString() } }
        : event,
    );
  const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => record(shifted(index % 25), [])));
  await record(history, [], 8);
  const listed = await newestRuns(store.pool, 7, 20);
  const expected = ids
    .map((id, index) => ({ id, minute: index % 25 }))
    .sort((a, b) => b.minute - a.minute || (a.id < b.id ? 1 : -1))
    .slice(0, 20);
  expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
});
