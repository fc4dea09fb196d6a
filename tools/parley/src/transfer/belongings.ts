import { decisionOfStream, readBelongings } from '@parley/contracts';
import type { z } from 'zod';
import { readHead, readLog } from '../operator/event-log.ts';
import { expectOk, type Operator } from '../operator/operator.ts';

type Question = z.input<typeof readBelongings.input>;
type Page = z.output<typeof readBelongings.output>;
type HeldName = Page['names'][number];

/** What an account has in a service beside its events, as it is at one position of the service's log. */
export interface Belongings {
  readonly names: readonly HeldName[];
  readonly nextIds: Page['next_ids'];
  readonly head: number;
}

const pageSize = 1000;

/**
 * Names change with the streams that hold them, and pages that are read one after the other are of different moments:
 * those of streams that changed meanwhile are read again, until none has.
 */
export async function readAllBelongings(
  operator: Operator,
  service: string,
  accountId: number,
): Promise<Belongings> {
  const names = new Map<string, HeldName>();
  let nextIds: Page['next_ids'] = {};
  let owners: string[] | undefined;
  let from: number | undefined;
  for (;;) {
    // Older services do not say of which moment a page is.
    let head = await readHead(operator, service);
    for await (const page of pages(operator, service, accountId, owners)) {
      for (const name of page.names) names.set(JSON.stringify([name.scope, name.key]), name);
      nextIds = page.next_ids;
      head = page.head ?? head;
      from ??= head;
    }
    const changed = await changedStreams(operator, service, accountId, from ?? head, head);
    // The same order wherever it is exported from.
    if (changed.size === 0) return { names: [...names.values()].sort(byScopeAndKey), nextIds, head };
    for (const [key, { owner }] of names)
      if (changed.has(owner.replace(decisionOfStream, ''))) names.delete(key);
    owners = [...changed];
    from = head;
  }
}

async function* pages(
  operator: Operator,
  service: string,
  accountId: number,
  owners: readonly string[] | undefined,
): AsyncGenerator<Page> {
  const first = owners?.slice(0, pageSize);
  const which = { account_id: accountId, ...(first && { owners: first }), limit: pageSize };
  for (let after: Question['after'] = null; ; ) {
    const page: Page = expectOk(await operator.ask(service, readBelongings, { ...which, after }), service);
    yield page;
    if (!page.after || page.names.length < pageSize) break;
    after = { scope: page.after.scope, key: page.after.key };
  }
  // A message of the bus does not hold the names of any number of streams.
  if (owners && owners.length > pageSize) yield* pages(operator, service, accountId, owners.slice(pageSize));
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
