import { listEvents } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import type { Api } from './api.ts';

/** How far the account's log has come. */
interface Head {
  /** Of its newest event, which counts those of all services. */
  readonly position: number;
  /** When the latest of them happened. */
  readonly at: string;
}

/**
 * Looks at the account's log, each time from where it was. Times need not ascend in its order: each service records by
 * itself.
 */
export function watchHead(api: Api): () => Promise<Head> {
  let head: Head = { position: 0, at: '' };
  return async () => {
    for (;;) {
      const { body } = await api.get(`/api/user/events?limit=500&after=${head.position}`);
      const page = listEvents.success.schema.parse(body);
      const times = page.data.map(({ occurred_at }) => occurred_at);
      head = { position: page.next_position, at: [head.at, ...times].toSorted().at(-1) ?? '' };
      if (!page.has_more) return head;
    }
  };
}

/** When the newest event of the account happened, in any service. */
export const newestEvent = async (api: Api): Promise<string> => (await watchHead(api)()).at;

/** The path of a GET, as of a moment. */
export const asOf = (path: string, moment: string | number): string =>
  `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(moment)}`;

/** The answer without what differs between two readings of one state (`at`, rate limits). */
export const comparable = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (field, value) =>
    field === 'at' || value?.rule === 'rate_limit' ? undefined : value,
  );

/** Records the answers of a GET at several states of an account, to compare them with later answers `as_of` then. */
export function createSnapshots(api: Api, path: string) {
  const taken: { readonly at: string; readonly status: number; readonly body: unknown }[] = [];
  const headNow = watchHead(api);
  return {
    /** Records an answer once it holds `part` and nothing happened in the account while it was read. */
    take: (part: object) =>
      eventually(async () => {
        const head = await headNow();
        const { status, body } = await api.get(path);
        expect(body).toMatchObject(part);
        expect(await headNow()).toEqual(head);
        taken.push({ at: head.at, status, body: comparable(body) });
      }),
    /** Expects that the answer as of each recorded moment is the recorded one. */
    async holdStill() {
      expect(new Set(taken.map(({ body }) => JSON.stringify(body))).size).toBe(taken.length);
      for (const { at, status, body } of taken) {
        const then = await api.get(asOf(path, at));
        expect([at, then.status, comparable(then.body)]).toEqual([at, status, body]);
      }
    },
  };
}
