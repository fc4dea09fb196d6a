import type { KeyObject } from 'node:crypto';
import { isPersonalClaim, type PersonalData } from '@parley/contracts';
import type {
  AppendRequest,
  EventSeals,
  JsonObject,
  NewEvent,
  RecordedEvent,
  SqlExecutor,
} from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { boxesOf } from './boxes.ts';
import { Owners, type StreamPerson } from './owners.ts';
import { isAboutSomebody } from './personal-data.ts';
import {
  isStandIn,
  mayMention,
  numbersIn,
  type PersonalPart,
  personalParts,
  put,
  replaceNumbers,
  standInOf,
  withoutPerson,
} from './personal-values.ts';
import {
  type KeysById,
  openEvents,
  type StoredEvent,
  sealPayload,
  type Taken,
  takenFrom,
} from './sealed-payload.ts';
import type { StreamNames } from './stream-names.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** A payload, and what is left of it where it is stored. */
interface Divided {
  /** What readers get: as it was, but for people who are erased already. */
  readonly data: JsonObject;
  readonly left: JsonObject;
  /** What was taken out, and who can put it back. */
  readonly taken: readonly Taken[];
}

/** An event's payload as outsiders may keep it. */
export interface WithoutPeople {
  readonly data: JsonObject;
  /** There was something that belongs to people. */
  readonly isSealed: boolean;
}

/** Events that were sealed here and are on their way to the bus; beyond it they are made from the log. */
const maxShapes = 2_000;

/** Seals what contracts call personal, each with the keys of those it belongs to. */
export class Seals implements EventSeals {
  readonly #owners: Owners;
  readonly #keys: SubjectKeys;
  readonly #names: StreamNames;
  readonly #personal: ReadonlyMap<string, PersonalData>;
  /** Types of events that do not only mention people in their words. */
  readonly #aboutSomebody: ReadonlySet<string>;
  readonly #forgetters: (() => void)[] = [];
  /** By event id. */
  readonly #shapes = new LRUCache<string, WithoutPeople>({ max: maxShapes });

  constructor(parts: {
    readonly sql: SqlExecutor;
    readonly keys: SubjectKeys;
    readonly names: StreamNames;
    /** By event type. */
    readonly personal: ReadonlyMap<string, PersonalData>;
  }) {
    this.#keys = parts.keys;
    this.#names = parts.names;
    this.#personal = parts.personal;
    this.#aboutSomebody = new Set(
      [...parts.personal].flatMap(([type, personal]) => (isAboutSomebody(personal) ? [type] : [])),
    );
    this.#owners = new Owners(parts.sql, parts.keys, this.#aboutSomebody);
  }

  seal(request: AppendRequest): AppendRequest | Promise<AppendRequest> {
    const { streamId, events, claims } = request;
    const isPersonal =
      mayMention(streamId) ||
      events.some(({ type }) => this.#personal.has(type)) ||
      claims?.some(({ scope, key, owner }) => namesPerson(scope, key) || mayMention(owner));
    return isPersonal ? this.#seal(request) : request;
  }

  open(events: readonly StoredEvent[]): readonly StoredEvent[] | Promise<readonly StoredEvent[]> {
    const ids = events.flatMap((event) => boxesOf(event.data).flatMap(({ keys }) => keys));
    if (ids.length === 0) return events;
    // Taken now: what is forgotten while the others are looked up is not destroyed.
    const known = new Map<string, KeyObject | null>();
    const unknown = new Set<string>();
    for (const id of ids) {
      const key = this.#keys.remembered(id);
      if (key === undefined) unknown.add(id);
      else known.set(id, key);
    }
    return unknown.size === 0 ? openEvents(known, events) : this.#loadAndOpen(known, unknown, events);
  }

  streamIdOf(streamId: string): string | Promise<string> {
    return this.#names.nameOf(streamId);
  }

  onErased(forget: () => void): void {
    this.#forgetters.push(forget);
  }

  /** Folds first: what they decide from now on knows nobody who is erased. */
  forget(): void {
    for (const forget of this.#forgetters) forget();
    this.#names.forget();
    this.#keys.forget();
  }

  /** Lets a stream that got its name in another installation be found by the number of the person it is about. */
  async adopt(accountId: number | null, streamId: string, events: readonly NewEvent[]): Promise<void> {
    for (const { type, data } of events)
      for (const { subject } of personalParts(data as JsonObject, this.#personal.get(type) ?? {}))
        if (subject && !isStandIn(subject)) return this.#names.adopt(accountId, streamId, subject);
  }

  /** A claim's key with the numbers again, as far as its owner's events have them, in whichever spelling. */
  async readableKey(accountId: number, key: string, events: readonly RecordedEvent[]): Promise<string> {
    let readable = key;
    const numbers = numbersIn(JSON.stringify(events.map(({ data }) => data)));
    for (const number of new Set([...numbers].flatMap(spellingsOf)))
      readable = readable.replaceAll((await this.#keys.of(accountId, number)).id, number);
    return readable;
  }

  /** As outsiders may keep it: without what belongs to people. */
  async withoutPeople(event: StoredEvent): Promise<WithoutPeople> {
    const { type, streamId, accountId } = event;
    if (!this.#personal.has(type)) return { data: event.data, isSealed: false };
    return shapeOf(await this.#divide(event, { accountId, person: { streamId, keyId: null } }));
  }

  /** The same of an event that was sealed here a moment ago, nothing being looked up; undefined for others. */
  recentWithoutPeople({ type, eventId, data }: StoredEvent): WithoutPeople | undefined {
    return this.#personal.has(type) ? this.#shapes.get(eventId) : { data, isSealed: false };
  }

  async #seal(request: AppendRequest): Promise<AppendRequest> {
    const { accountId } = request;
    const streamId = await this.#names.nameToWrite(accountId, request.streamId);
    const events: NewEvent[] = [];
    let person: StreamPerson = { streamId, keyId: null };
    for (const event of request.events) {
      if (!this.#personal.has(event.type)) {
        events.push(event);
        continue;
      }
      const eventId = event.eventId ?? uuidv7();
      const about = { type: event.type, data: event.data as JsonObject };
      const divided = await this.#divide(about, { accountId, person });
      const { data, left, taken } = divided;
      // Only ids made here: a caller may use its own id again with another payload.
      if (event.eventId === undefined) this.#shapes.set(eventId, shapeOf(divided));
      const [first] = taken;
      if (first && this.#aboutSomebody.has(event.type))
        person = { streamId, keyId: first.keys[0]?.id ?? null };
      events.push({
        ...event,
        eventId,
        data,
        ...(first && { sealedData: sealPayload(eventId, left, taken) }),
      });
    }
    const claims =
      request.claims &&
      (await Promise.all(
        request.claims.map(async (claim) => ({
          ...claim,
          key: namesPerson(claim.scope, claim.key) ? await this.#withIds(accountId, claim.key) : claim.key,
          owner: await this.#names.nameToWrite(accountId, claim.owner),
        })),
      ));
    return { ...request, streamId, events, ...(claims && { claims }) };
  }

  async #divide(
    { type, data: whole }: Pick<StoredEvent, 'type' | 'data'>,
    about: { readonly accountId: number | null; readonly person: StreamPerson },
  ): Promise<Divided> {
    const parts = personalParts(whole, this.#personal.get(type) ?? {});
    // All at once: an event can be about a thousand people.
    const owners = await Promise.all(parts.map((part) => this.#owners.of(part, about)));
    if (owners.every(({ people, isErased }) => people.size === 0 && !isErased))
      return { data: whole, left: whole, taken: [] };
    const left = copyFor(parts, whole);
    const data = owners.some(({ isErased }) => isErased) ? copyFor(parts, whole) : whole;
    const taken: Taken[] = [];
    for (const [index, { people, isErased }] of owners.entries()) {
      const part = parts[index];
      if (!part || (people.size === 0 && !isErased)) continue;
      const nameOf = (number: string) => {
        const key = people.get(number);
        return key && standInOf(key.id);
      };
      for (const value of part.values) {
        const rest = withoutPerson(value, nameOf);
        put(left, value.path, rest);
        if (isErased) put(data, value.path, rest);
      }
      if (!isErased) taken.push(...takenFrom(part, people));
    }
    return { data, left, taken };
  }

  /** A claim's key without numbers: the same for as long as the person is not erased. */
  async #withIds(accountId: number | null, key: string): Promise<string> {
    const ids = new Map<string, string>();
    for (const number of numbersIn(key)) ids.set(number, (await this.#keys.of(accountId, number)).id);
    return replaceNumbers(key, (number) => ids.get(number) ?? number);
  }

  async #loadAndOpen(known: KeysById, unknown: ReadonlySet<string>, events: readonly StoredEvent[]) {
    const loaded = await Promise.all(
      [...unknown].map(async (id) => [id, await this.#keys.byId(id)] as const),
    );
    return openEvents(new Map([...known, ...loaded]), events);
  }
}

const shapeOf = ({ left, taken }: Divided): WithoutPeople => ({ data: left, isSealed: taken.length > 0 });

/** A copy whose personal values can be replaced. Shallow where all of them are top-level fields, else deep. */
const copyFor = (parts: readonly PersonalPart[], data: JsonObject): JsonObject =>
  parts.every(({ values }) => values.every(({ path }) => path.length === 1))
    ? { ...data }
    : structuredClone(data);

const namesPerson = (scope: string, key: string): boolean => mayMention(key) && isPersonalClaim(scope);
