import { getPastState, listHistory, type OperationSuccess } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { chatAccount } from '../support/chat.ts';
import { reportFigure } from '../support/figures.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { asOf, comparable, watchHead } from '../support/snapshots.ts';
import { isNightly, randomNumbers, seed } from '../support/tier.ts';
import { deeds, settle } from './walk/deeds.ts';
import { Walker } from './walk/walker.ts';

type Change = OperationSuccess<typeof listHistory>['data'][number];
type State = OperationSuccess<typeof getPastState>['data'];

const steps = isNightly ? 600 : 25;
/** So many things are done side by side, on whatever they come upon. */
const atOnce = 4;

const statePath = (resource: string) => `/api/user/history/state?resource=${encodeURIComponent(resource)}`;

const stateAt = async (api: Api, resource: string, position?: number): Promise<State | null> => {
  const path = statePath(resource);
  const { status, body } = await api.get(position === undefined ? path : asOf(path, position));
  return status === 404 ? null : getPastState.success.schema.parse(body).data;
};

/** All changes of a resource, the oldest first. */
async function historyOf(api: Api, resource: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path = `/api/user/history?resource=${encodeURIComponent(resource)}&per_page=50`;
    const { status, body } = await api.get(cursor ? `${path}&cursor=${cursor}` : path);
    if (status === 404) return [];
    const page = listHistory.success.schema.parse(body);
    changes.push(...page.data);
    cursor = page.next_cursor;
  }
  return changes.toReversed();
}

/** What is shown of what the account has. */
const lookedAt = (walker: Walker): readonly string[] => [
  ...walker.made('assistant').map((id) => `/api/user/assistant/${id}`),
  ...walker.made('knowledgebase').map((id) => `/api/user/knowledgebases/${id}`),
  ...walker.made('automation').map((id) => `/api/user/automate/flows/${id}/runs`),
  ...walker.made('sip-trunk').map((id) => `/api/user/phone-numbers/sip-trunks/${id}`),
  ...walker.made('call').map((id) => `/api/user/calls/${id}`),
  ...walker.made('conversation').map((id) => `/api/user/conversations/${id}`),
  '/api/user/me',
  '/api/user/balance/transactions',
  '/api/user/payment-method',
];

/** Undoes a change, the newest most often; what it changed is as it was before, unless that is refused. */
async function undoOne(walker: Walker): Promise<boolean> {
  const { api } = walker;
  const resource = walker.resource();
  const changes = await historyOf(api, resource);
  const newest = changes.at(-1);
  if (!newest) return false;
  const change = walker.chance(0.6) ? newest : walker.pick(changes);
  const { status } = await api.post(`/api/user/history/${change.event_id}/revert`);
  if (status !== 200) return false;
  // What counts the changes goes on.
  const { updated_at: _, version: __, ...before } = change.before;
  expect((await stateAt(api, resource))?.state, `${change.event} of ${resource}`).toMatchObject(before);
  return true;
}

/** Each change of a resource tells what it changed, and nothing else is another than before it. */
async function expectChain(api: Api, resource: string): Promise<void> {
  let before: State | null = null;
  for (const change of await historyOf(api, resource)) {
    const after = await stateAt(api, resource, change.position);
    const what = `${change.event}, version ${change.version} of ${resource}`;
    if (before) expect(before.state, what).toMatchObject(change.before);
    if (before && after) expect(after.state, what).toEqual({ ...Object(before.state), ...change.after });
    before = after;
  }
}

const lists = [
  ['folder', '/api/user/folders'],
  ['label', '/api/user/labels'],
  ['assistant', '/api/user/assistants/get'],
  ['campaign', '/api/user/campaigns'],
  ['lead', '/api/user/leads'],
  ['call', '/api/user/calls'],
  ['knowledgebase', '/api/user/knowledgebases'],
  ['sip-trunk', '/api/user/phone-numbers/sip-trunks'],
] as const;

/** All items of a list, by their ids. */
async function listed(api: Api, path: string): Promise<ReadonlyMap<number, object>> {
  const items = new Map<number, object>();
  for (let page = 1; ; page += 1) {
    const { body } = await api.get(`${path}?per_page=100&page=${page}`);
    // Some have no pages, and all in one.
    const { data, total = 0 } = body as { data: { id: number }[]; total?: number };
    for (const item of data) items.set(item.id, item);
    if (data.length === 0 || items.size >= total) return items;
  }
}

/** What is there is in its list, and as it is there. */
async function expectListed(walker: Walker): Promise<void> {
  for (const [kind, path] of lists) {
    const items = await listed(walker.api, path);
    for (const id of walker.made(kind)) {
      const state = (await stateAt(walker.api, `${kind}/${id}`))?.state;
      const item = items.get(Number(id));
      expect([kind, id, item !== undefined]).toEqual([kind, id, state !== undefined]);
      const isInBoth = ([field]: [string, unknown]) => Object.hasOwn(Object(item), field);
      const shown = Object.fromEntries(Object.entries(Object(state)).filter(isInBoth));
      if (item) expect(item, `${kind} ${id}`).toMatchObject(shown);
    }
  }
}

test(`whatever is done to an account, its past holds still, and what is undone is as it was (seed ${seed})`, async () => {
  const walker = new Walker(await chatAccount(sharedStack()), randomNumbers());
  const { api } = walker;
  const headNow = watchHead(api);
  const seen: { readonly path: string; readonly at: string; readonly shown: unknown }[] = [];
  const shownAt = async (path: string, at: string) => {
    const { status, body } = await api.get(asOf(path, at));
    return { status, body: comparable(body) };
  };
  /** What is shown now is what is shown as of the newest event. */
  const look = (path: string) =>
    eventually(async () => {
      const head = await headNow();
      const { status, body } = await api.get(path);
      const shown = await shownAt(path, head.at);
      expect(await headNow()).toEqual(head);
      expect([path, shown]).toEqual([path, { status, body: comparable(body) }]);
      seen.push({ path, at: head.at, shown });
    });
  let undone = 0;
  await settle(walker);
  for (let step = 0; step < steps; step += 1) {
    await Promise.all(Array.from({ length: atOnce }, () => walker.pick(deeds)(walker)));
    if (walker.chance(0.5) && (await undoOne(walker))) undone += 1;
    if (walker.chance(0.5)) await look(statePath(walker.resource()));
    if (walker.chance(0.5)) await look(walker.pick(lookedAt(walker)));
  }
  for (const path of [...lookedAt(walker), ...walker.resources().map(statePath)]) await look(path);
  for (const { path, at, shown } of seen)
    expect([path, at, await shownAt(path, at)]).toEqual([path, at, shown]);
  await eventually(() => expectListed(walker));
  for (const resource of walker.resources()) await expectChain(api, resource);
  reportFigure(
    'history',
    `${steps * atOnce} things done, ${undone} undone, ${seen.length} answers seen again`,
  );
}, 1_800_000);
