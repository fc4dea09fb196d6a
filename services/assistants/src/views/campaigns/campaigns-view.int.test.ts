import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { campaignsTable, campaignsView } from './campaigns-view.ts';
import { createCampaignLists } from './list-campaigns.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  store = await createTestStore([campaignsView]);
});
afterEach(() => store.close());

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

test.each([
  ['what it was given a lead back for, while its calls do not all fail', 19, 5, 10, 'busy'],
  ['that its calls fail, once that holds it up for longer', 20, 5, 10, 'failing'],
  ['that its calls fail, also when the other moment has passed', 20, -1, 10, 'failing'],
  ['what it was given a lead back for, where that takes longer', 20, 30, 10, 'busy'],
  ['nothing, once both moments have passed', 20, -2, -1, undefined],
])('a campaign says that it is held up by %s', async (_, failedInARow, busyFor, failingFor, reason) => {
  const heldUp = (reason: string, minutes: number) => JSON.stringify({ reason, until: inMinutes(minutes) });
  await store.pool.query(
    `insert into ${campaignsTable} (
       id, account_id, created_position, name_json, channel, status, body_json, variable_mapping, timezone_json, windows,
       retries, held_up_json, failed_in_a_row, failing_json, created_at, updated_at
     )
     values (1, 1, 1, '"Spring"', 'call', 'running', 'null', '{}', '"UTC"', '[]', '{}', $1, $2, $3, '', '')`,
    [heldUp('busy', busyFor), failedInARow, heldUp('failing', failingFor)],
  );
  const page = await createCampaignLists(store.pool)({ accountId: 1, page: 1, perPage: 1 });
  expect(JSON.parse(page).data[0].held_up?.reason).toBe(reason);
});
