import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { boxesField } from './boxes.ts';
import { isStandIn, numbersIn, type PersonalPart } from './personal-values.ts';
import type { SubjectKey, SubjectKeys } from './subject-keys.ts';

/** The person that a stream is about: for payloads that do not name theirs. */
export interface StreamPerson {
  readonly streamId: string;
  readonly keyId: string | null;
}

export interface PartOwners {
  /** Their keys by number, of the one it is about first; that one under no number where the payload does not say it. */
  readonly people: ReadonlyMap<string, SubjectKey>;
  /** The person it is about is erased: it is kept for nobody. */
  readonly isErased: boolean;
}

/**
 * For SQL: the key of whom the newest sealed event is about, of those of a stream that `where` chooses. `types`: a
 * parameter with the types of events that tell whom their stream is about.
 */
export const keyOfNewest = (where: string, types: string): string =>
  `select data -> '${boxesField}' -> 0 -> 'keys' ->> 0 as key_id from es.events
   where ${where} and data ? '${boxesField}' and type = any(${types}::text[])
   order by stream_version desc limit 1`;

/** A text that mentions more people than this is sealed for the first of them. */
const maxPeople = 16;

/** Whose the parts of payloads are. */
export class Owners {
  readonly #sql: SqlExecutor;
  readonly #keys: SubjectKeys;
  readonly #aboutSomebody: readonly string[];
  readonly #findPerson = createBatchLoader((streams: readonly string[]) => this.#findPeople(streams));

  /** `aboutSomebody`: the types of events that tell whom their stream is about. */
  constructor(sql: SqlExecutor, keys: SubjectKeys, aboutSomebody: Iterable<string>) {
    this.#sql = sql;
    this.#keys = keys;
    this.#aboutSomebody = [...aboutSomebody];
  }

  async of(
    { subject, values }: PersonalPart,
    { accountId, person }: { readonly accountId: number | null; readonly person: StreamPerson },
  ): Promise<PartOwners> {
    const people = new Map<string, SubjectKey>();
    if (subject !== null && isStandIn(subject)) return { people, isErased: true };
    const isAboutStream = subject === null && values.some(({ isWhole }) => isWhole);
    if (isAboutStream) {
      const id = person.keyId ?? (await this.#findPerson(person.streamId));
      const secret = id === null ? null : await this.#keys.byId(id);
      if (id !== null && secret === null) return { people, isErased: true };
      // Under no number: nothing in the values stands for the person.
      if (id !== null && secret !== null) people.set('', { id, secret });
    }
    const mentioned = values.flatMap(({ value }) => numbersIn(JSON.stringify(value)));
    const numbers = new Set([...(subject ? [subject] : []), ...mentioned]);
    const found = await Promise.all(
      [...numbers]
        .slice(0, maxPeople)
        .map(async (number) => [number, await this.#keys.of(accountId, number)] as const),
    );
    return { people: new Map([...people, ...found]), isErased: false };
  }

  /** Whom the newest sealed event of each stream is about, where it does not only mention people in its words. */
  async #findPeople(streamIds: readonly string[]): Promise<readonly (string | null)[]> {
    const { rows } = await this.#sql.query<{ streamId: string; keyId: string }>({
      name: 'subject-of-streams',
      text: `select s.stream_id as "streamId", e.key_id as "keyId"
             from unnest($1::text[]) s (stream_id) cross join lateral (
               ${keyOfNewest('stream_id = s.stream_id', '$2')}
             ) e`,
      values: [streamIds, this.#aboutSomebody],
    });
    const found = new Map(rows.map(({ streamId, keyId }) => [streamId, keyId]));
    return streamIds.map((streamId) => found.get(streamId) ?? null);
  }
}
