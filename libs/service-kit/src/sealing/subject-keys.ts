import { createHmac, randomBytes } from 'node:crypto';
import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Keyring } from '@parley/process-kit';
import { v7 as uuidv7 } from 'uuid';
import { BoundedMap } from './bounded-map.ts';

export interface SubjectKey {
  readonly id: string;
  readonly bytes: Buffer;
}

interface KeyRow {
  readonly id: string;
  readonly hmac: string;
  readonly sealed: string | null;
}

const maxRemembered = 20_000;
const maxTries = 5;

/** The keys of people, one for each account and number, in the service's own database; sealed with the installation's. */
export class SubjectKeys {
  readonly #sql: SqlExecutor;
  readonly #keyring: Keyring;
  readonly #secret: Buffer;
  readonly #bySubject = new BoundedMap<string, SubjectKey>(maxRemembered);
  /** Null: destroyed, or never there. */
  readonly #byId = new BoundedMap<string, Buffer | null>(maxRemembered);
  readonly #loadOrMake = createBatchLoader((hmacs: readonly Hmac[]) => this.#findOrMake(hmacs));
  readonly #loadById = createBatchLoader((ids: readonly string[]) => this.#findById(ids));

  constructor(sql: SqlExecutor, keyring: Keyring, secret: Buffer) {
    this.#sql = sql;
    this.#keyring = keyring;
    this.#secret = secret;
  }

  /** The key that the person's data is sealed with now; made when there is none. */
  async of(accountId: number | null, subject: string): Promise<SubjectKey> {
    const name = nameOf(accountId, subject);
    const known = this.#bySubject.get(name);
    if (known) return known;
    const key = await this.#loadOrMake({ accountId: accountId ?? 0, hmac: this.hmacOf(name) });
    this.#bySubject.set(name, key);
    this.#byId.set(key.id, key.bytes);
    return key;
  }

  /** What is remembered of a key: undefined when it has to be looked up, null when it is destroyed. */
  remembered(id: string): Buffer | null | undefined {
    return this.#byId.get(id);
  }

  async byId(id: string): Promise<Buffer | null> {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const bytes = await this.#loadById(id);
    this.#byId.set(id, bytes);
    return bytes;
  }

  /** Of a text, with a secret that is in no dump: hexadecimal. */
  hmacOf(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('hex');
  }

  subjectHmac(accountId: number, subject: string): string {
    return this.hmacOf(nameOf(accountId, subject));
  }

  forget(): void {
    this.#bySubject.clear();
    this.#byId.clear();
  }

  async #findOrMake(wanted: readonly Hmac[]): Promise<readonly SubjectKey[]> {
    const found = new Map<string, SubjectKey>();
    for (let tries = 0; tries < maxTries; tries++) {
      const missing = [...new Map(wanted.map((each) => [each.hmac, each])).values()].filter(
        ({ hmac }) => !found.has(hmac),
      );
      if (missing.length === 0) break;
      for (const row of await this.#inUse(missing)) found.set(row.hmac, this.#open(row));
      // Whoever makes it at the same time may be quicker: it is found at the next try.
      const unmade = missing.filter(({ hmac }) => !found.has(hmac));
      if (unmade.length > 0) for (const row of await this.#make(unmade)) found.set(row.hmac, this.#open(row));
    }
    return wanted.map(({ hmac }) => {
      const key = found.get(hmac);
      if (!key) throw new Error('A key for a person could neither be found nor made.');
      return key;
    });
  }

  async #inUse(wanted: readonly Hmac[]): Promise<readonly KeyRow[]> {
    const { rows } = await this.#sql.query<KeyRow>({
      name: 'subject-keys-in-use',
      text: `select key_id as id, encode(subject_hmac, 'hex') as hmac, sealed_key as sealed from es.subject_keys
             where subject_hmac in (select decode(h, 'hex') from unnest($1::text[]) h) and destroyed_at is null`,
      values: [wanted.map(({ hmac }) => hmac)],
    });
    return rows;
  }

  async #make(wanted: readonly Hmac[]): Promise<readonly KeyRow[]> {
    const ids = wanted.map(() => uuidv7());
    const { rows } = await this.#sql.query<KeyRow>({
      name: 'subject-keys-make',
      // Not flushed by itself: the append that is sealed with it is flushed later, in the same write-ahead log.
      text: `with quiet as materialized (select set_config('synchronous_commit', 'off', true))
             insert into es.subject_keys (key_id, account_id, subject_hmac, sealed_key)
             select n.key_id, n.account_id, decode(n.hmac, 'hex'), n.sealed
             from quiet cross join unnest($1::uuid[], $2::int8[], $3::text[], $4::text[]) n (key_id, account_id, hmac, sealed)
             on conflict do nothing
             returning key_id as id, encode(subject_hmac, 'hex') as hmac, sealed_key as sealed`,
      values: [
        ids,
        wanted.map(({ accountId }) => accountId),
        wanted.map(({ hmac }) => hmac),
        ids.map((id) => this.#keyring.seal(randomBytes(32).toString('base64'), placeOf(id))),
      ],
    });
    return rows;
  }

  async #findById(ids: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const { rows } = await this.#sql.query<KeyRow>({
      name: 'subject-keys-by-id',
      text: `select key_id as id, '' as hmac, sealed_key as sealed from es.subject_keys where key_id = any($1::uuid[])`,
      values: [ids],
    });
    const known = new Map(rows.map((row) => [row.id, row.sealed === null ? null : this.#open(row).bytes]));
    return ids.map((id) => known.get(id) ?? null);
  }

  #open({ id, sealed }: KeyRow): SubjectKey {
    const text = this.#keyring.open(sealed ?? '', placeOf(id)).reveal();
    return { id, bytes: Buffer.from(text, 'base64') };
  }
}

interface Hmac {
  readonly accountId: number;
  readonly hmac: string;
}

const nameOf = (accountId: number | null, subject: string): string => `${accountId ?? 0} ${subject}`;
const placeOf = (id: string): string => `subject-key:${id}`;
