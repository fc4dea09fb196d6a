import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import type { Api } from './api.ts';

/** When things happened in the account, in the order of its log: not always that of time, for services write alone. */
const timesOf = async (api: Api): Promise<readonly string[]> =>
  ((await api.get('/api/user/events?limit=500')).body as { data: { occurred_at: string }[] }).data.map(
    ({ occurred_at }) => occurred_at,
  );

/** When the newest event of the account happened, in any service. */
export const newestEvent = async (api: Api): Promise<string> => (await timesOf(api)).toSorted().at(-1) ?? '';

/** An answer without what is not the same at two moments of one state. */
export const comparable = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (field, value) =>
    field === 'at' || value?.rule === 'rate_limit' ? undefined : value,
  );

/** What a GET was answered while an account had one state after the other. */
export function createSnapshots(api: Api, path: string) {
  const taken: { readonly at: string; readonly status: number; readonly body: unknown }[] = [];
  const separator = path.includes('?') ? '&' : '?';
  return {
    /** Waits for an answer that holds `part`, with nothing happening at the same time. */
    take: (part: object) =>
      eventually(async () => {
        const before = await timesOf(api);
        const { status, body } = await api.get(path);
        expect(body).toMatchObject(part);
        expect(await timesOf(api)).toEqual(before);
        taken.push({ at: before.toSorted().at(-1) ?? '', status, body: comparable(body) });
      }),
    /** As of each of those moments the answer is what it was. */
    async holdStill() {
      expect(new Set(taken.map(({ body }) => JSON.stringify(body))).size).toBe(taken.length);
      for (const { at, status, body } of taken) {
        const then = await api.get(`${path}${separator}as_of=${encodeURIComponent(at)}`);
        expect([at, then.status, comparable(then.body)]).toEqual([at, status, body]);
      }
    },
  };
}
