import type { KeyObject } from 'node:crypto';
import type { Json, JsonObject, RecordedEvent } from '@parley/event-store';
import { type Box, boxesField, boxesOf, openBox, sealBox } from './boxes.ts';
import { numbersIn, type Path, type PersonalPart, type PersonalValue, put } from './personal-values.ts';
import type { SubjectKey } from './subject-keys.ts';

export type StoredEvent = RecordedEvent<string, JsonObject>;

/** What was taken out of a payload, and who can put it back. */
export interface Taken {
  readonly keys: readonly SubjectKey[];
  readonly values: readonly PersonalValue[];
}

/** Null: destroyed, or never there. */
export type KeysById = ReadonlyMap<string, KeyObject | null>;

/**
 * A part's values, each for whom the part is about and whom that value mentions. `people` are their keys by number, of the one
 * it is about under none where the payload does not say it.
 */
export function takenFrom(
  { subject, values }: PersonalPart,
  people: ReadonlyMap<string, SubjectKey>,
): readonly Taken[] {
  const all = [...people.values()];
  if (all.length === 1) return [{ keys: all, values }];
  const owner = people.get(subject ?? '');
  const keysOf = ({ value }: PersonalValue): readonly SubjectKey[] => {
    const mentioned = numbersIn(JSON.stringify(value)).flatMap((number) => people.get(number) ?? []);
    const keys = new Set(owner ? [owner, ...mentioned] : mentioned);
    return keys.size > 0 ? [...keys] : all;
  };
  const apart = values.map((value) => ({ keys: keysOf(value), value }));
  const together = Map.groupBy(apart, ({ keys }) => keys.map(({ id }) => id).join());
  return [...together.values()].map((alike) => ({
    keys: alike[0]?.keys ?? all,
    values: alike.map(({ value }) => value),
  }));
}

/** What is left, with a box for all that the same people can put back. */
export function sealPayload(eventId: string, left: JsonObject, taken: readonly Taken[]): JsonObject {
  const boxes: Box[] = taken.map(({ keys, values }) => ({
    keys: keys.map(({ id }) => id),
    box: sealBox(
      keys.map(({ secret }) => secret),
      placeOf(eventId),
      JSON.stringify(values.map(({ path, value }) => [path, value])),
    ),
  }));
  return { ...left, [boxesField]: boxes as unknown as Json };
}

/**
 * The events as they were before; what a key is missing for stays as it is stored. `shared` makes what is shown of a value
 * that belongs to several people.
 */
export function openEvents(
  keysById: KeysById,
  events: readonly StoredEvent[],
  shared: (value: Json) => Json = (value) => value,
): readonly StoredEvent[] {
  return events.map((event) => {
    const boxes = boxesOf(event.data);
    if (boxes.length === 0) return event;
    const { [boxesField]: _, ...left } = event.data;
    for (const { keys, box } of boxes) {
      const secrets = keys.flatMap((id) => keysById.get(id) ?? []);
      if (secrets.length < keys.length) continue;
      const values: [Path, Json][] = JSON.parse(openBox(secrets, placeOf(event.eventId), box));
      for (const [path, value] of values) put(left, path, keys.length > 1 ? shared(value) : value);
    }
    return { ...event, data: left };
  });
}

const placeOf = (eventId: string): string => `event:${eventId.toLowerCase()}`;
