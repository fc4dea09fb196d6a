import { publicEvents, type RecordedEventMessage, readEvents, serviceNames } from '@parley/contracts';
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
  /** There is one already, or may be: not all that there was is in order yet. */
  readonly hasMore: boolean;
  /** Services that did not say what they have that is not in order yet. */
  readonly missing: string[];
}

/** Whoever asks has read more than there is: the log was put back to an earlier state since. */
export interface BeyondEnd {
  readonly end: number;
}

/** Entries of one service, the oldest first. */
interface Asked {
  readonly accountId: number;
  readonly service: string;
  readonly own: readonly Entry[];
}

interface Found {
  /** By their positions at the service. */
  readonly events: ReadonlyMap<number, RecordedEventMessage>;
  readonly characters: number;
  /** All that there are up to this position are among them. */
  readonly reached: number;
}

const pageSize = 500;
/**
 * So many events are fetched at a time, and none of a service beyond so many characters: a page of large ones is shorter.
 * Hundreds of pages are in memory at a time, here and in gateways, where feeds wait for their clients.
 */
const sliceSize = 100;
const enoughCharacters = 1024 * 1024;
/** In how many entries a page is searched for its types: in a long log with few, all would take longer than the caller waits. */
const maxLookedAt = 250_000;
/** A log that was not read for long takes a while to merge: the caller gets what is there and asks on. */
const mergeBudgetMs = 2000;

/**
 * All of an account's public events in one order. It is decided when somebody reads: until then it costs nothing. What
 * a service recorded before the question is in the answer, unless the page is full or the budget spent.
 */
export class AccountLog {
  readonly #bus: BusClient;
  readonly #order: AccountOrder;
  /**
   * Of a service that did not answer in time, as where an account's events are large, less of that account's is asked for,
   * until it does.
   */
  readonly #pageSizes = new LRUCache<string, number>({ max: 10_000 });

  constructor(bus: BusClient, order: AccountOrder) {
    this.#bus = bus;
    this.#order = order;
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

  /** Takes a page of every service; complete when all is merged now that there was in those that are not `missing`. */
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

  /** `null` of a service that does not answer: its events come later in the order, when it is back. */
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

  /** `count`: to how many of the entries, from the first on, these are all events. */
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

  /** Up to where there are `enough` characters, and the first in any case. */
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
      // A service that was restored may not have it any more.
      reached = page.reached > reached ? page.reached : last;
    }
    return { events, characters, reached };
  }
}

function readPage({ body }: OkReply) {
  const { events, head, reached } = readEvents.output.parse(JSON.parse(body));
  return { events, head, reached: reached ?? events.at(-1)?.position ?? head };
}

/** Remembering how far the logs of others' events were searched saves searching them again, but not for a few. */
const isFarAhead = (reached: OrderHead['reached'], before: OrderHead['reached']): boolean =>
  Object.entries(reached).some(([service, position]) => position - (before[service] ?? 0) > pageSize);
