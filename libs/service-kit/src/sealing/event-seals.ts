import { createBatchLoader } from '@parley/batching';
import { isPersonalClaim, type PersonalData } from '@parley/contracts';
import type {
  AppendRequest,
  EventSeals,
  Json,
  JsonObject,
  NewEvent,
  RecordedEvent,
  SqlExecutor,
} from '@parley/event-store';
import { v7 as uuidv7 } from 'uuid';
import { type Box, boxesField, boxesOf, openBox, sealBox } from './boxes.ts';
import {
  isStandIn,
  numbersIn,
  type Path,
  type PersonalPart,
  personalParts,
  put,
  replaceNumbers,
  standInOf,
  withoutPerson,
} from './personal-values.ts';
import type { StreamNames } from './stream-names.ts';
import type { SubjectKey, SubjectKeys } from './subject-keys.ts';

type StoredEvent = RecordedEvent<string, JsonObject>;

/** Whom an event's payload without a person's number is about. */
interface StreamPerson {
  readonly streamId: string;
  readonly keyId: string | null;
}

/** A text that mentions more people than this is sealed for the first of them. */
const maxPeople = 16;

/** Seals what contracts call personal, each with the keys of those it belongs to. */
export class Seals implements EventSeals {
  readonly #sql: SqlExecutor;
  readonly #keys: SubjectKeys;
  readonly #names: StreamNames;
  readonly #personal: ReadonlyMap<string, PersonalData>;
  readonly #forgetters: (() => void)[] = [];
  readonly #findPerson = createBatchLoader((streams: readonly string[]) => this.#findPeople(streams));

  constructor(parts: {
    readonly sql: SqlExecutor;
    readonly keys: SubjectKeys;
    readonly names: StreamNames;
    /** By event type. */
    readonly personal: ReadonlyMap<string, PersonalData>;
  }) {
    this.#sql = parts.sql;
    this.#keys = parts.keys;
    this.#names = parts.names;
    this.#personal = parts.personal;
  }

  seal(request: AppendRequest): AppendRequest | Promise<AppendRequest> {
    const { streamId, events, claims } = request;
    const isPersonal =
      streamId.includes('+') ||
      events.some(({ type }) => this.#personal.has(type)) ||
      claims?.some(({ scope, key, owner }) => namesPerson(scope, key) || owner.includes('+'));
    return isPersonal ? this.#seal(request) : request;
  }

  open(events: readonly StoredEvent[]): readonly StoredEvent[] | Promise<readonly StoredEvent[]> {
    const ids = events.flatMap((event) => boxesOf(event.data).flatMap(({ keys }) => keys));
    if (ids.length === 0) return events;
    const unknown = [...new Set(ids)].filter((id) => this.#keys.remembered(id) === undefined);
    return unknown.length === 0 ? this.#open(events, new Map()) : this.#loadAndOpen(events, unknown);
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

  /** Makes a stream that has its name from another installation known by the number of whom it is about. */
  async adopt(accountId: number | null, streamId: string, events: readonly NewEvent[]): Promise<void> {
    for (const { type, data } of events)
      for (const { subject } of personalParts(data as JsonObject, this.#personal.get(type) ?? {}))
        if (subject !== null && !isStandIn(subject)) return this.#names.adopt(accountId, streamId, subject);
  }

  /** A claim's key with the numbers again, as far as its owner's events have them. */
  async readableKey(accountId: number, key: string, events: readonly RecordedEvent[]): Promise<string> {
    let readable = key;
    for (const number of numbersIn(JSON.stringify(events.map(({ data }) => data))))
      readable = readable.replaceAll((await this.#keys.of(accountId, number)).id, number);
    return readable;
  }

  /** As outsiders may keep it: without what belongs to people. True when there was any. */
  async withoutPeople(
    event: StoredEvent,
  ): Promise<{ readonly data: JsonObject; readonly isSealed: boolean }> {
    if (!this.#personal.has(event.type)) return { data: event.data, isSealed: false };
    const { streamId, accountId } = event;
    const person = { streamId, keyId: null };
    const { stored } = await this.#sealData(event, { accountId, person });
    const { [boxesField]: boxes, ...data } = stored;
    return { data, isSealed: boxes !== undefined };
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
      const about = { type: event.type, eventId, data: event.data as JsonObject };
      const { data, stored } = await this.#sealData(about, { accountId, person });
      const [first] = boxesOf(stored);
      if (first) person = { streamId, keyId: first.keys[0] ?? null };
      events.push({ ...event, eventId, data, ...(first && { sealedData: stored }) });
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

  /** `data` is what readers get: as it was, but for people who are erased already. */
  async #sealData(
    event: Pick<StoredEvent, 'type' | 'eventId' | 'data'>,
    about: { readonly accountId: number | null; readonly person: StreamPerson },
  ): Promise<{ readonly data: JsonObject; readonly stored: JsonObject }> {
    const { type, eventId } = event;
    const parts = personalParts(event.data, this.#personal.get(type) ?? {});
    // All at once: an event can be about a thousand people.
    const owners = await Promise.all(parts.map((part) => this.#peopleOf(part, about)));
    if (owners.every(({ people, isErased }) => people.size === 0 && !isErased))
      return { data: event.data, stored: event.data };
    const left = structuredClone(event.data);
    const data = owners.some(({ isErased }) => isErased) ? structuredClone(event.data) : event.data;
    const boxes: Box[] = [];
    for (const [index, { people, isErased }] of owners.entries()) {
      const { values = [] } = parts[index] ?? {};
      if (people.size === 0 && !isErased) continue;
      const nameOf = (number: string) => {
        const key = people.get(number);
        return key && standInOf(key.id);
      };
      for (const value of values) {
        const rest = withoutPerson(value, nameOf);
        put(left, value.path, rest);
        if (isErased) put(data, value.path, rest);
      }
      if (isErased) continue;
      const keys = [...people.values()];
      const text = JSON.stringify(values.map(({ path, value }) => [path, value]));
      const box = sealBox(
        keys.map(({ bytes }) => bytes),
        placeOf(eventId),
        text,
      );
      boxes.push({ keys: keys.map(({ id }) => id), box });
    }
    return { data, stored: boxes.length === 0 ? left : { ...left, [boxesField]: boxes as unknown as Json } };
  }

  /** The keys of those whom a part belongs to, the one it is about first; erased when that one is gone. */
  async #peopleOf(
    { subject, values }: PersonalPart,
    { accountId, person }: { readonly accountId: number | null; readonly person: StreamPerson },
  ): Promise<{ readonly people: ReadonlyMap<string, SubjectKey>; readonly isErased: boolean }> {
    const people = new Map<string, SubjectKey>();
    if (subject !== null && isStandIn(subject)) return { people, isErased: true };
    const isAboutStream = subject === null && values.some(({ isWhole }) => isWhole);
    if (isAboutStream) {
      const id = person.keyId ?? (await this.#findPerson(person.streamId));
      const bytes = id === null ? null : await this.#keys.byId(id);
      if (id !== null && bytes === null) return { people, isErased: true };
      // Under no number: nothing in the values stands for the person.
      if (id !== null && bytes !== null) people.set('', { id, bytes });
    }
    const mentioned = values.flatMap(({ value }) => numbersIn(JSON.stringify(value)));
    const numbers = new Set([...(subject === null ? [] : [subject]), ...mentioned]);
    const found = await Promise.all(
      [...numbers]
        .slice(0, maxPeople)
        .map(async (number) => [number, await this.#keys.of(accountId, number)] as const),
    );
    return { people: new Map([...people, ...found]), isErased: false };
  }

  /** A claim's key without numbers: the same for as long as the person is not erased. */
  async #withIds(accountId: number | null, key: string): Promise<string> {
    const ids = new Map<string, string>();
    for (const number of numbersIn(key)) ids.set(number, (await this.#keys.of(accountId, number)).id);
    return replaceNumbers(key, (number) => ids.get(number) ?? number);
  }

  async #loadAndOpen(events: readonly StoredEvent[], unknown: readonly string[]) {
    const loaded = await Promise.all(unknown.map(async (id) => [id, await this.#keys.byId(id)] as const));
    return this.#open(events, new Map(loaded));
  }

  #open(events: readonly StoredEvent[], loaded: ReadonlyMap<string, Buffer | null>): readonly StoredEvent[] {
    const keyOf = (id: string) => loaded.get(id) ?? this.#keys.remembered(id) ?? null;
    return events.map((event) => {
      const boxes = boxesOf(event.data);
      if (boxes.length === 0) return event;
      const { [boxesField]: _, ...left } = event.data;
      for (const { keys, box } of boxes) {
        const known = keys.map(keyOf).filter((key) => key !== null);
        if (known.length < keys.length) continue;
        const values: [Path, Json][] = JSON.parse(openBox(known, placeOf(event.eventId), box));
        for (const [path, value] of values) put(left, path, value);
      }
      return { ...event, data: left };
    });
  }

  /** Whom the newest sealed event of each stream is about. */
  async #findPeople(streamIds: readonly string[]): Promise<readonly (string | null)[]> {
    const { rows } = await this.#sql.query<{ streamId: string; keyId: string }>({
      name: 'subject-of-streams',
      text: `select s.stream_id as "streamId", e.key_id as "keyId"
             from unnest($1::text[]) s (stream_id) cross join lateral (
               select data -> '${boxesField}' -> 0 -> 'keys' ->> 0 as key_id from es.events
               where stream_id = s.stream_id and data ? '${boxesField}' order by stream_version desc limit 1
             ) e`,
      values: [streamIds],
    });
    const found = new Map(rows.map(({ streamId, keyId }) => [streamId, keyId]));
    return streamIds.map((streamId) => found.get(streamId) ?? null);
  }
}

const namesPerson = (scope: string, key: string): boolean => key.includes('+') && isPersonalClaim(scope);

const placeOf = (eventId: string): string => `event:${eventId.toLowerCase()}`;
