import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Keyring } from '@parley/process-kit';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { LookUps } from './look-ups.ts';

export interface SubjectKey {
  readonly id: string;
  /** Prepared once: ciphers that get the bytes of a key cost three times as much. */
  readonly secret: KeyObject;
}

interface KnownSecret {
  /** Null: destroyed, or never there. */
  readonly secret: KeyObject | null;
}

interface KeyRow {
  readonly id: string;
  readonly hmac: string;
  readonly sealed: string | null;
}

const maxRemembered = 20_000;
const maxTries = 5;
const keyBytes = 32;

/** The keys of people, one for each account and number, in the service's own database; sealed with the installation's. */
export class SubjectKeys {
  readonly #sql: SqlExecutor;
  readonly #keyring: Keyring;
  readonly #secret: KeyObject;
  readonly #bySubject = new LRUCache<string, SubjectKey>({ max: maxRemembered });
  readonly #byId = new LRUCache<string, KnownSecret>({ max: maxRemembered });
  readonly #lookUps = new LookUps();
  readonly #loadOrMake = createBatchLoader((hmacs: readonly Hmac[]) => this.#findOrMake(hmacs));
  readonly #loadById = createBatchLoader((ids: readonly string[]) => this.#findById(ids));

  constructor(sql: SqlExecutor, keyring: Keyring, secret: Buffer) {
    this.#sql = sql;
    this.#keyring = keyring;
    this.#secret = createSecretKey(secret);
  }

  /** The key that the person's data is sealed with now; made when there is none. */
  async of(accountId: number | null, subject: string): Promise<SubjectKey> {
    const name = nameOf(accountId, subject);
    const known = this.#bySubject.get(name);
    if (known) return known;
    const find = () => this.#loadOrMake({ accountId: accountId ?? 0, hmac: this.hmacOf(name) });
    return this.#lookUps.run(find, (key) => {
      this.#bySubject.set(name, key);
      this.#byId.set(key.id, key);
    });
  }

  /** What is remembered of a key: undefined when it has to be looked up, null when it is destroyed. */
  remembered(id: string): KeyObject | null | undefined {
    return this.#byId.get(id)?.secret;
  }

  async byId(id: string): Promise<KeyObject | null> {
    const known = this.#byId.get(id);
    if (known) return known.secret;
    const find = () => this.#loadById(id);
    return this.#lookUps.run(find, (secret) => this.#byId.set(id, { secret }));
  }

  /** Of a text, with a secret that is in no dump: hexadecimal. */
  hmacOf(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('hex');
  }

  subjectHmac(accountId: number, subject: string): string {
    return this.hmacOf(nameOf(accountId, subject));
  }

  forget(): void {
    this.#lookUps.forget();
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
      // Another process may make it at the same time: then it is found at the next try.
      for (const key of await this.#inUseOrMade(missing)) found.set(key.hmac, key);
    }
    return wanted.map(({ hmac }) => {
      const key = found.get(hmac);
      if (!key) throw new Error('A key for a person could neither be found nor made.');
      return key;
    });
  }

  /** One round trip: a key that turns out to be there already was made in vain. */
  async #inUseOrMade(wanted: readonly Hmac[]): Promise<readonly (SubjectKey & { readonly hmac: string })[]> {
    const made = new Map(wanted.map(() => [uuidv7(), randomBytes(keyBytes)]));
    const { rows } = await this.#sql.query<KeyRow>({
      name: 'subject-keys-in-use-or-made',
      text: inUseOrMadeStatement,
      values: [
        [...made.keys()],
        wanted.map(({ accountId }) => accountId),
        wanted.map(({ hmac }) => hmac),
        [...made].map(([id, bytes]) => this.#keyring.seal(bytes.toString('base64'), placeOf(id))),
      ],
    });
    return rows.map(({ id, hmac, sealed }) => {
      const bytes = made.get(id);
      return { id, hmac, secret: bytes ? createSecretKey(bytes) : this.#open({ id, sealed }) };
    });
  }

  async #findById(ids: readonly string[]): Promise<readonly (KeyObject | null)[]> {
    const { rows } = await this.#sql.query<Omit<KeyRow, 'hmac'>>({
      name: 'subject-keys-by-id',
      text: `select key_id as id, sealed_key as sealed from es.subject_keys where key_id = any($1::uuid[])`,
      values: [ids],
    });
    const known = new Map(rows.map((row) => [row.id, row.sealed === null ? null : this.#open(row)]));
    return ids.map((id) => known.get(id) ?? null);
  }

  #open({ id, sealed }: Omit<KeyRow, 'hmac'>): KeyObject {
    return createSecretKey(this.#keyring.open(sealed ?? '', placeOf(id)).reveal(), 'base64');
  }
}

/**
 * What is made is flushed before anything is sealed with it: a crash that took the key and not the process that knows
 * it would leave events that nobody can open.
 */
const inUseOrMadeStatement = `with wanted as materialized (
    select w.key_id, w.account_id, decode(w.hmac, 'hex') as hmac, w.sealed
    from unnest($1::uuid[], $2::int8[], $3::text[], $4::text[]) w (key_id, account_id, hmac, sealed)
  ),
  in_use as materialized (
    select k.key_id, k.subject_hmac, k.sealed_key from wanted w cross join lateral (
      select * from es.subject_keys k where k.subject_hmac = w.hmac and k.destroyed_at is null limit 1
    ) k
  ),
  made as (
    insert into es.subject_keys (key_id, account_id, subject_hmac, sealed_key)
    select * from wanted where hmac not in (select subject_hmac from in_use)
    on conflict do nothing
    returning key_id, subject_hmac, sealed_key
  )
  select key_id as id, encode(subject_hmac, 'hex') as hmac, sealed_key as sealed
  from (select * from in_use union all select * from made) k`;

interface Hmac {
  readonly accountId: number;
  readonly hmac: string;
}

const nameOf = (accountId: number | null, subject: string): string => `${accountId ?? 0} ${subject}`;
const placeOf = (id: string): string => `subject-key:${id}`;
