import { readEvents } from '@parley/contracts';
import { type BusClient, type BusRequest, internalContext, RequestTimedOut } from '@parley/message-bus';
import { expect, test } from 'vitest';
import { AccountLog } from './account-log.ts';
import type { AccountOrder, Entry, OrderHead, Place, WantedEntries } from './account-order.ts';

/** The order of the account with events, in memory; that of any other is empty. */
class OrderInMemory implements Pick<AccountOrder, 'head' | 'append' | 'read'> {
  readonly #entries: Entry[] = [];
  #reached: OrderHead['reached'] = {};

  async head(): Promise<OrderHead> {
    return { position: this.#entries.length, reached: this.#reached };
  }

  async append(accountId: number, _: OrderHead, places: readonly Place[], reached: OrderHead['reached']) {
    if (accountId !== 7) return true;
    for (const place of places) this.#entries.push({ ...place, position: this.#entries.length + 1 });
    this.#reached = reached;
    return true;
  }

  async read({ accountId, after, upTo, limit }: WantedEntries): Promise<Entry[]> {
    if (accountId !== 7) return [];
    return this.#entries.slice(after, Math.min(upTo, after + limit));
  }
}

const recorded = (position: number) => ({
  position,
  stream_id: 'folder-1',
  stream_version: position,
  category: 'folder',
  account_id: 7,
  type: 'FolderRenamed',
  schema_version: 1,
  event_id: '0197a6d0-0000-7000-8000-000000000081',
  data: { name: 'x', at: '2026-11-21T09:30:00.000Z' },
  metadata: {
    correlation_id: 'request-1',
    causation_id: 'command-1',
    command_id: null,
    actor: { kind: 'system', id: 'test' },
  },
  recorded_at: '2026-11-21T09:30:00.000Z',
});

/** Assistants have so many events of an account, and are too slow to answer with more than `atOnce` of them. */
function slowAssistants(events: number, atOnce: number): BusClient {
  const request = async ({ service, payload }: BusRequest) => {
    const { account_id, after, limit, positions } = readEvents.input.parse(JSON.parse(payload));
    const isKnown = service === 'assistants' && account_id === 7;
    const upTo = isKnown ? Math.min(events, after + limit) : 0;
    if (isKnown && !positions && limit > atOnce) throw new RequestTimedOut('Slow.');
    const found = Array.from({ length: Math.max(upTo - after, 0) }, (_, index) =>
      recorded(after + 1 + index),
    );
    const body = JSON.stringify({ events: found, head: isKnown ? events : 0, reached: upTo });
    return { kind: 'ok', body };
  };
  return { request } as unknown as BusClient;
}

test('the events of a service that is too slow for a whole page are put in order a few at a time', async () => {
  const log = new AccountLog(slowAssistants(60, 10), new OrderInMemory() as unknown as AccountOrder);
  const wanted = { accountId: 7, after: 0, limit: 500, types: null };
  const context = internalContext({
    accountId: 7,
    actor: { kind: 'system', id: 'test' },
    correlationId: 'request-2',
    timeoutMs: 5_000,
  });
  const positions = new Set<number>();
  for (let asked = 0; asked < 10; asked += 1) {
    const page = await log.read(wanted, context);
    // That service is quick for others meanwhile.
    for (const accountId of [8, 9, 8]) await log.read({ ...wanted, accountId }, context);
    if ('events' in page) for (const { entry } of page.events) positions.add(entry.position);
  }
  expect([...positions]).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

/** So many events of 200,000 characters, of two services in turn; each answers with one of them at a time. */
function largeEvents(events: number): BusClient {
  const request = async ({ service, payload }: BusRequest) => {
    const { account_id, after, limit, positions } = readEvents.input.parse(JSON.parse(payload));
    const isKnown = ['assistants', 'telephony'].includes(service) && account_id === 7;
    const all = Array.from({ length: isKnown ? events : 0 }, (_, index) => index + 1);
    const wanted = all.filter((position) => position > after && (positions?.includes(position) ?? true));
    const found = wanted.slice(0, positions ? 1 : limit).map(recorded);
    const large = found.map((event) => ({ ...event, data: { ...event.data, name: 'x'.repeat(200_000) } }));
    const reached = found.at(-1)?.position ?? after;
    return {
      kind: 'ok',
      body: JSON.stringify({ events: positions ? large : found, head: isKnown ? events : 0, reached }),
    };
  };
  return { request } as unknown as BusClient;
}

test('a page of large events ends at about a megabyte, and the next one goes on behind it', async () => {
  const log = new AccountLog(largeEvents(50), new OrderInMemory() as unknown as AccountOrder);
  const context = internalContext({
    accountId: 7,
    actor: { kind: 'system', id: 'test' },
    correlationId: 'request-3',
    timeoutMs: 5_000,
  });
  const read: string[] = [];
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await log.read({ accountId: 7, after, limit: 100, types: null }, context);
    if ('end' in page) throw new Error('There is more.');
    expect(JSON.stringify(page.events).length).toBeLessThan(2_500_000);
    read.push(
      ...page.events.map(
        ({ entry: { position, service, servicePosition } }) => `${position} ${service} ${servicePosition}`,
      ),
    );
    [after, isLast] = [page.next, !page.hasMore];
  }
  expect(new Set(read).size).toBe(100);
  expect(read.map((name) => Number.parseInt(name, 10))).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
});
