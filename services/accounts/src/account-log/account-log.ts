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

const pageSize = 500;
/** So many events are fetched at a time, and none beyond so many characters: a page of large ones is shorter. */
const sliceSize = 100;
const enoughCharacters = 8 * 1024 * 1024;
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
    for (let characters = 0; count < entries.length && characters < enoughCharacters; ) {
      const slice = entries.slice(count, count + sliceSize);
      const found = new Map<string, RecordedEventMessage>();
      const own = [...Map.groupBy(slice, ({ service }) => service).values()];
      const lengths = await Promise.all(own.map((ofOne) => this.#find(accountId, ofOne, found, context)));
      for (const length of lengths) characters += length;
      for (const entry of slice) {
        const event = found.get(nameOf(entry));
        if (event) events.push({ entry, event });
      }
      count += slice.length;
    }
    return { events, count };
  }

  /** Puts the events of one service's entries into `found`; how many characters were read. */
  async #find(
    accountId: number,
    own: readonly Entry[],
    found: Map<string, RecordedEventMessage>,
    context: MessageContext,
  ): Promise<number> {
    const [first] = own;
    if (!first) return 0;
    const { service } = first;
    const positions = own.map(({ servicePosition }) => servicePosition);
    const last = positions.at(-1) ?? 0;
    let characters = 0;
    for (let after = first.servicePosition - 1; after < last; ) {
      const question = { after, limit: own.length, account_id: accountId, positions };
      const reply = await askIfThere(this.#bus, service, readEvents, question, context, context.timeoutMs);
      if (reply?.kind !== 'ok') throw withoutAnswerOf([service]);
      const { events, reached } = readPage(reply);
      for (const event of events) found.set(nameOf({ service, servicePosition: event.position }), event);
      characters += reply.body.length;
      // A service that was restored may not have it any more.
      if (reached <= after) break;
      after = reached;
    }
    return characters;
  }
}

const nameOf = ({ service, servicePosition }: Pick<Entry, 'service' | 'servicePosition'>): string =>
  `${service} ${servicePosition}`;

function readPage({ body }: OkReply) {
  const { events, head, reached } = readEvents.output.parse(JSON.parse(body));
  return { events, head, reached: reached ?? events.at(-1)?.position ?? head };
}

/** Remembering how far the logs of others' events were searched saves searching them again, but not for a few. */
const isFarAhead = (reached: OrderHead['reached'], before: OrderHead['reached']): boolean =>
  Object.entries(reached).some(([service, position]) => position - (before[service] ?? 0) > pageSize);
