import { decisionOfStream, readBelongings } from '@parley/contracts';
import type { z } from 'zod';
import { readHead, readLog } from '../operator/event-log.ts';
import { expectOk, type Operator } from '../operator/operator.ts';

type Question = z.input<typeof readBelongings.input>;
type Page = z.output<typeof readBelongings.output>;
type HeldName = Page['names'][number];

/**
 * What an account has in a service beside its events (claimed names and next ids), as it is at the position `head`
 * of the log.
 */
export interface Belongings {
  readonly names: readonly HeldName[];
  readonly nextIds: Page['next_ids'];
  readonly head: number;
}

const pageSize = 1000;

/**
 * Reads the belongings as of one moment. The pages of one reading are of different moments, so the names of streams
 * that changed meanwhile are read again, until all pages of a reading are of the same head.
 */
export async function readAllBelongings(
  operator: Operator,
  service: string,
  accountId: number,
): Promise<Belongings> {
  const names = new Map<string, HeldName>();
  for (let since: number | undefined; ; ) {
    const { found, first, last, nextIds } = await readNames(operator, service, accountId, since);
    if (since !== undefined) {
      const changed = await changedStreams(operator, service, accountId, since, last);
      for (const [key, { owner }] of names)
        if (changed.has(owner.replace(decisionOfStream, ''))) names.delete(key);
    }
    for (const name of found) names.set(JSON.stringify([name.scope, name.key]), name);
    // Sorted, so that an export has the same order everywhere.
    if (first === last) return { names: [...names.values()].sort(byScopeAndKey), nextIds, head: last };
    since = first;
  }
}

/** The names of streams that changed after `since`, or of all; the heads of the first page and of the last. */
async function readNames(operator: Operator, service: string, accountId: number, since: number | undefined) {
  // Older services do not say of which moment a page is.
  let last = await readHead(operator, service);
  let first: number | undefined;
  const found: HeldName[] = [];
  const which = { account_id: accountId, changed_since: since, limit: pageSize };
  for (let after: Question['after'] = null; ; ) {
    const page: Page = expectOk(await operator.ask(service, readBelongings, { ...which, after }), service);
    found.push(...page.names);
    last = page.head ?? last;
    first ??= last;
    if (!page.after) return { found, first, last, nextIds: page.next_ids };
    after = { scope: page.after.scope, key: page.after.key };
  }
}

async function changedStreams(
  operator: Operator,
  service: string,
  accountId: number,
  after: number,
  until: number,
): Promise<ReadonlySet<string>> {
  const streams = new Set<string>();
  const filter = { streamId: undefined, types: [], accountId };
  for await (const event of readLog(operator, service, filter, after, until)) streams.add(event.stream_id);
  return streams;
}

const byScopeAndKey = (a: HeldName, b: HeldName): number =>
  a.scope === b.scope ? compare(a.key, b.key) : compare(a.scope, b.scope);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
