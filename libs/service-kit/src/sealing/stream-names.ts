import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { LookUps } from './look-ups.ts';
import { mayMention, numbersIn } from './personal-values.ts';
import type { SubjectKeys } from './subject-keys.ts';

interface Row {
  readonly hmac: string;
  readonly streamId: string;
}

const maxRemembered = 20_000;
/** Destroying the key waits for the name and removes it too; no name is made afterwards. */
const makeStatement = `with in_use as materialized (
    select key_id from es.subject_keys where key_id = $3 and destroyed_at is null for share
  ),
  made as (
    insert into es.subject_streams (name_hmac, stream_id, key_id)
    select decode($1, 'hex'), $2, key_id from in_use on conflict do nothing
  )
  select exists (select from in_use) as "isInUse"`;
/** The id that stands for a number at the end of a stream's name. */
const givenName = /:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Translates names of streams that hold a number, as the code has them (`permission-7:+49…`), to those in the log,
 * which have an id instead; it leads nowhere once the person is erased. Streams from before sealing keep their names.
 */
export class StreamNames {
  readonly #sql: SqlExecutor;
  readonly #keys: SubjectKeys;
  readonly #known = new LRUCache<string, string>({ max: maxRemembered });
  readonly #lookUps = new LookUps();
  readonly #find = createBatchLoader((hmacs: readonly string[]) => this.#findAll(hmacs));

  constructor(sql: SqlExecutor, keys: SubjectKeys) {
    this.#sql = sql;
    this.#keys = keys;
  }

  /** As a reader finds it. A stream that nobody has begun keeps its name: there is nothing to be read. */
  nameOf(streamId: string): string | Promise<string> {
    if (!mayMention(streamId)) return streamId;
    return this.#known.get(streamId) ?? this.#lookUp(streamId);
  }

  /** As it is written; a new name is given when it has none, and another when that is destroyed at once. */
  async nameToWrite(accountId: number | null, streamId: string): Promise<string> {
    const [number] = numbersIn(streamId);
    if (number === undefined) return streamId;
    for (;;) {
      const known = await this.nameOf(streamId);
      if (known !== streamId || (await this.#isOfBefore(streamId))) return known;
      await this.#make(streamId, streamId.replace(number, uuidv7()), { accountId, number });
    }
  }

  /** A stream that has its name from another installation is found by the number there as here. */
  async adopt(accountId: number | null, streamId: string, number: string): Promise<void> {
    const name = streamId.replace(givenName, `:${number}`);
    if (name !== streamId) await this.#make(name, streamId, { accountId, number });
  }

  forget(): void {
    this.#lookUps.forget();
    this.#known.clear();
  }

  /** Unless it has one. What is remembered of keys is no good when one of them turns out to be destroyed. */
  async #make(
    name: string,
    streamId: string,
    { accountId, number }: { readonly accountId: number | null; readonly number: string },
  ): Promise<void> {
    for (;;) {
      const key = await this.#keys.of(accountId, number);
      const { rows } = await this.#sql.query<{ isInUse: boolean }>({
        name: 'subject-streams-make',
        text: makeStatement,
        values: [this.#keys.hmacOf(name), streamId, key.id],
      });
      if (rows[0]?.isInUse) return;
      this.#keys.forget();
    }
  }

  async #lookUp(streamId: string): Promise<string> {
    const find = () => this.#find(this.#keys.hmacOf(streamId));
    const name = await this.#lookUps.run(find, (found) => {
      if (found !== undefined) this.#known.set(streamId, found);
    });
    return name ?? streamId;
  }

  async #isOfBefore(streamId: string): Promise<boolean> {
    const { rows } = await this.#sql.query<{ found: boolean }>({
      name: 'subject-streams-of-before',
      text: 'select exists (select from es.events where stream_id = $1) as found',
      values: [streamId],
    });
    return rows[0]?.found === true;
  }

  async #findAll(hmacs: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { rows } = await this.#sql.query<Row>({
      name: 'subject-streams-find',
      text: `select encode(name_hmac, 'hex') as hmac, stream_id as "streamId" from es.subject_streams
             where name_hmac in (select decode(h, 'hex') from unnest($1::text[]) h)`,
      values: [hmacs],
    });
    const names = new Map(rows.map(({ hmac, streamId }) => [hmac, streamId]));
    return hmacs.map((hmac) => names.get(hmac));
  }
}
