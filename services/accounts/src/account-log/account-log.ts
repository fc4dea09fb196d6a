import {
  isActedBy,
  publicEvents,
  type RecordedEventMessage,
  readEvents,
  serviceNames,
} from '@parley/contracts';
import type { BusClient, MessageContext, OkReply } from '@parley/message-bus';
import { LRUCache } from 'lru-cache';
import { askIfThere, withoutAnswerOf } from '../history/ask-services.ts';
import type { AccountOrder, Entry, OrderHead, WantedEntries } from './account-order.ts';
import { mergeLogs, type ServicePage } from './merge-logs.ts';

export type Wanted = Omit<WantedEntries, 'upTo'>;

export interface LoggedEvent {
  readonly entry: Entry;
  readonly event: RecordedEventMessage;
}

export interface LogPage {
  readonly events: LoggedEvent[];
  /** Where the following page begins. */
  readonly next: number;
  /** There are more events already, or may be: some services' events may not be merged yet. */
  readonly hasMore: boolean;
  /** Names of services that did not answer in time, so that events of theirs may be missing after this page. */
  readonly missing: string[];
}

/**
 * The caller's position is behind the end of the log: the log was restored to an earlier state since the caller
 * read it.
 */
export interface BeyondEnd {
  readonly end: number;
}

/** A question to one service for the events of these entries (`own`), which are in ascending order. */
interface Asked {
  readonly accountId: number;
  readonly service: string;
  readonly own: readonly Entry[];
}

interface Found {
  /** By their positions in the log of the service. */
  readonly events: ReadonlyMap<number, RecordedEventMessage>;
  readonly characters: number;
  /** Position in the log of the service up to which `events` has all wanted events. */
  readonly reached: number;
}

const pageSize = 500;
/**
 * Events fetched at a time (`sliceSize`), and JSON characters after which a page ends early. Hundreds of pages may
 * be in memory at once, here and in gateways, where feeds wait for their clients.
 */
const sliceSize = 100;
const enoughCharacters = 1024 * 1024;
/**
 * Entries that one page searches for the wanted types: where they are rare, a search of a long log would outlast
 * the caller's timeout.
 */
const maxLookedAt = 250_000;
/**
 * How long one page may merge, in milliseconds: a log that was not read for long takes longer, and the caller gets
 * what is merged and asks again.
 */
const mergeBudgetMs = 2000;
/** How long the events of somebody are looked for by one page, in milliseconds. */
const searchBudgetMs = 2000;

/**
 * All public events of an account, out of all services, in one order. The order is decided when somebody reads, so
 * an account that nobody reads costs nothing. What a service recorded before the question is in the answer, unless
 * the page is full or the time for merging is over.
 */
export class AccountLog {
  readonly #bus: BusClient;
  readonly #order: AccountOrder;
  /**
   * Page sizes by service and account where they are less than `pageSize`: a quarter after each question without an
   * answer (as when events are large), and doubled again after each answer.
   */
  readonly #pageSizes = new LRUCache<string, number>({ max: 10_000 });

  constructor(bus: BusClient, order: AccountOrder) {
    this.#bus = bus;
    this.#order = order;
  }

  /**
   * The next page that has anything that `actor` did, of that alone. The order does not know who acted: pages are looked
   * through, and after a while the last of them is the answer, empty.
   */
  async readBy(
    actor: string | undefined,
    wanted: Wanted,
    context: MessageContext,
  ): Promise<LogPage | BeyondEnd> {
    const deadline = performance.now() + searchBudgetMs;
    for (let after = wanted.after; ; ) {
      const page = await this.read({ ...wanted, after }, context);
      if (actor === undefined || 'end' in page) return page;
      const events = page.events.filter(({ event }) => isActedBy(actor, event.metadata.actor));
      if (events.length > 0 || !page.hasMore || performance.now() > deadline) return { ...page, events };
      after = page.next;
    }
  }

  async read(wanted: Wanted, context: MessageContext): Promise<LogPage | BeyondEnd> {
    const { accountId, after, limit } = wanted;
    const deadline = performance.now() + mergeBudgetMs;
    for (let isComplete = false, missing: string[] = []; ; ) {
      const head = await this.#order.head(accountId);
      if (isComplete && after > head.position) return { end: head.position };
      const upTo = Math.min(head.position, after + maxLookedAt);
      const entries = await this.#order.read({ ...wanted, upTo });
      const isFull = entries.length === limit;
      const isToHead = upTo === head.position;
      if (isFull || !isToHead || isComplete || performance.now() > deadline) {
        const { events, count } = await this.#events(accountId, entries, context);
        const last = entries[count - 1]?.position ?? after;
        const isAll = !isFull && count === entries.length;
        return {
          events,
          next: isAll ? Math.max(last, upTo) : last,
          hasMore: !(isAll && isToHead && isComplete),
          missing,
        };
      }
      ({ isComplete, missing } = await this.#merge(accountId, head, context));
    }
  }

  /**
   * Reads one page of each service's events and appends them to the order. `isComplete` when nothing is left to
   * merge in the services that answered; `missing` are the others.
   */
  async #merge(accountId: number, head: OrderHead, context: MessageContext) {
    const asked = await Promise.all(
      serviceNames.map((service) => this.#page(service, accountId, head.reached[service] ?? 0, context)),
    );
    const pages = asked.filter((page) => page !== null);
    const missing = serviceNames.filter((_, index) => asked[index] === null);
    const merged = mergeLogs(pages, head.reached);
    if (merged.events.length === 0 && !isFarAhead(merged.reached, head.reached))
      return { isComplete: merged.isComplete, missing };
    const places = merged.events.map(({ service, event: { position, type } }) => ({
      service,
      servicePosition: position,
      type,
    }));
    const isOurs = await this.#order.append(accountId, head, places, merged.reached);
    return { isComplete: isOurs && merged.isComplete, missing };
  }

  /** The next page of one service; `null` when it does not answer, and its events come later in the order. */
  async #page(
    service: (typeof serviceNames)[number],
    accountId: number,
    after: number,
    context: MessageContext,
  ): Promise<ServicePage | null> {
    const types = [...publicEvents.typesOf(service)];
    const key = `${service} ${accountId}`;
    const limit = this.#pageSizes.get(key) ?? pageSize;
    const question = { after, limit, account_id: accountId, types };
    const reply = await askIfThere(this.#bus, service, readEvents, question, context);
    const next = reply ? Math.min(limit * 2, pageSize) : Math.ceil(limit / 4);
    if (next < pageSize) this.#pageSizes.set(key, next);
    else this.#pageSizes.delete(key);
    return reply?.kind === 'ok' ? { service, ...readPage(reply) } : null;
  }

  /**
   * Fetches the events of the entries. `count`: how many entries, from the first on, are covered; fewer than all
   * when the events are large.
   */
  async #events(
    accountId: number,
    entries: readonly Entry[],
    context: MessageContext,
  ): Promise<{ readonly events: LoggedEvent[]; readonly count: number }> {
    const events: LoggedEvent[] = [];
    let count = 0;
    for (let left = enoughCharacters; count < entries.length && left > 0; ) {
      const slice = entries.slice(count, count + sliceSize);
      const services = Map.groupBy(slice, ({ service }) => service);
      const found = new Map(
        await Promise.all(
          [...services].map(
            async ([service, own]) =>
              [service, await this.#find({ accountId, service, own }, left, context)] as const,
          ),
        ),
      );
      for (const { characters } of found.values()) left -= characters;
      // A service whose events are large may not have been asked for all of them: nothing behind the first of those.
      const isAsked = ({ service, servicePosition }: Entry) =>
        servicePosition <= (found.get(service)?.reached ?? 0);
      const end = slice.findIndex((entry) => !isAsked(entry));
      const asked = end === -1 ? slice : slice.slice(0, end);
      for (const entry of asked) {
        const event = found.get(entry.service)?.events.get(entry.servicePosition);
        if (event) events.push({ entry, event });
      }
      count += asked.length;
    }
    return { events, count };
  }

  /**
   * Fetches events of one service until they have `enough` characters, at least one page of them. Throws
   * `unavailable` when the service does not answer.
   */
  async #find({ accountId, service, own }: Asked, enough: number, context: MessageContext): Promise<Found> {
    const positions = own.map(({ servicePosition }) => servicePosition);
    const last = positions.at(-1) ?? 0;
    const events = new Map<number, RecordedEventMessage>();
    let [characters, reached] = [0, (positions[0] ?? 1) - 1];
    while (reached < last && characters < enough) {
      const question = { after: reached, limit: own.length, account_id: accountId, positions };
      const reply = await askIfThere(this.#bus, service, readEvents, question, context, context.timeoutMs);
      if (reply?.kind !== 'ok') throw withoutAnswerOf([service]);
      const page = readPage(reply);
      for (const event of page.events) events.set(event.position, event);
      characters += reply.body.length;
      // A service that was restored to an earlier state may not have these events any more.
      reached = page.reached > reached ? page.reached : last;
    }
    return { events, characters, reached };
  }
}

function readPage({ body }: OkReply) {
  const { events, head, reached } = readEvents.output.parse(JSON.parse(body));
  return { events, head, reached: reached ?? events.at(-1)?.position ?? head };
}

/**
 * Whether a log was searched more than a page further without an event of the account. Storing that saves the next
 * search; for less, the write is not worth it.
 */
const isFarAhead = (reached: OrderHead['reached'], before: OrderHead['reached']): boolean =>
  Object.entries(reached).some(([service, position]) => position - (before[service] ?? 0) > pageSize);
