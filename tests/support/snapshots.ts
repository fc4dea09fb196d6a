import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import type { Api } from './api.ts';

/**
 * Times of the account's events in the order of its log, which need not be ascending: each service records by
 * itself.
 */
const timesOf = async (api: Api): Promise<readonly string[]> =>
  ((await api.get('/api/user/events?limit=500')).body as { data: { occurred_at: string }[] }).data.map(
    ({ occurred_at }) => occurred_at,
  );

/** When the newest event of the account happened, in any service. */
export const newestEvent = async (api: Api): Promise<string> => (await timesOf(api)).toSorted().at(-1) ?? '';

/** The answer without what differs between two readings of one state (`at`, rate limits). */
export const comparable = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (field, value) =>
    field === 'at' || value?.rule === 'rate_limit' ? undefined : value,
  );

/** Records the answers of a GET at several states of an account, to compare them with later answers `as_of` then. */
export function createSnapshots(api: Api, path: string) {
  const taken: { readonly at: string; readonly status: number; readonly body: unknown }[] = [];
  const separator = path.includes('?') ? '&' : '?';
  return {
    /** Records an answer once it holds `part` and nothing happened in the account while it was read. */
    take: (part: object) =>
      eventually(async () => {
        const before = await timesOf(api);
        const { status, body } = await api.get(path);
        expect(body).toMatchObject(part);
        expect(await timesOf(api)).toEqual(before);
        taken.push({ at: before.toSorted().at(-1) ?? '', status, body: comparable(body) });
      }),
    /** Expects that the answer as of each recorded moment is the recorded one. */
    async holdStill() {
      expect(new Set(taken.map(({ body }) => JSON.stringify(body))).size).toBe(taken.length);
      for (const { at, status, body } of taken) {
        const then = await api.get(`${path}${separator}as_of=${encodeURIComponent(at)}`);
        expect([at, then.status, comparable(then.body)]).toEqual([at, status, body]);
      }
    },
  };
}
