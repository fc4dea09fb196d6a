import type { WebhookSecretEvent } from '@parley/contracts';
import type { Aggregates, Decision, EventMetadata, ExecuteResult, SqlExecutor } from '@parley/event-store';
import type { Cause } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import {
  createWebhookSecret,
  type KeysAnswer,
  keysAnswer,
  rotateWebhookSecret,
} from './rotate-webhook-secret.ts';
import { createWebhookSecretStore, type WebhookSecretStore } from './secret-store.ts';
import { signingKeys, type WebhookSecret, webhookSecret, webhookSecretStream } from './webhook-secret.ts';

/** Namespace of the ids of keys that are made on first need. */
const firstKeys = '6f0c2f5e-51b0-5c4e-9a3c-0c5a1f1f7d10';

/** The secrets that sign an account's webhooks: the log says which keys, a table beside it has their secrets. */
export class WebhookSecrets {
  readonly #aggregates: Aggregates;
  readonly #secrets: WebhookSecretStore;

  constructor(aggregates: Aggregates, sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#secrets = createWebhookSecretStore(sql);
  }

  /** The account's keys; a key is made when it has none. */
  async keysOf(accountId: number, metadata: EventMetadata): Promise<KeysAnswer> {
    return keysAnswer(await this.#load(accountId, metadata));
  }

  /** The secrets that sign at this moment of the platform clock, the present one first. */
  async signingSecrets(accountId: number, now: Date, metadata: EventMetadata): Promise<readonly string[]> {
    const [present, previous] = signingKeys(await this.#load(accountId, metadata), now);
    const secrets = [await this.secretOf(present), previous && (await this.previousSecretOf(previous))];
    return secrets.filter((secret) => secret !== undefined);
  }

  /**
   * Replaces the account's key. The new key's id is made from the command's, so that a repetition makes no second
   * secret.
   */
  async rotate(accountId: number, now: Date, cause: Cause): Promise<ExecuteResult> {
    const { metadata } = cause;
    const keyId = uuidv5(`${accountId}`, metadata.commandId ?? firstKeys);
    await this.#secrets.create(keyId);
    return this.#execute(accountId, cause, (state) => rotateWebhookSecret(state, { keyId, now }));
  }

  /** The secret of a present key. Keys of an imported account come without their secrets, and get new ones. */
  async secretOf(keyId: string): Promise<string> {
    const known = await this.#secrets.find(keyId);
    if (known !== undefined) return known;
    await this.#secrets.create(keyId);
    return this.secretOf(keyId);
  }

  /** The secret of a previous key; undefined when it was deleted, or stayed where its account was imported from. */
  previousSecretOf(keyId: string): Promise<string | undefined> {
    return this.#secrets.find(keyId);
  }

  async #load(accountId: number, metadata: EventMetadata): Promise<NonNullable<WebhookSecret>> {
    const streamId = webhookSecretStream(accountId);
    const { state } = await this.#aggregates.load(streamId, webhookSecret);
    if (state) return state;
    // Whoever else does this at the same moment makes the same key.
    const keyId = uuidv5(`${accountId}`, firstKeys);
    await this.#secrets.create(keyId);
    await this.#execute(accountId, { metadata, command: null }, (now) => createWebhookSecret(now, keyId));
    return this.#load(accountId, metadata);
  }

  #execute(
    accountId: number,
    cause: Cause,
    decide: (state: WebhookSecret) => Decision<WebhookSecretEvent, KeysAnswer>,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      streamId: webhookSecretStream(accountId),
      category: 'webhook-secret',
      accountId,
      fold: webhookSecret,
      ...cause,
      decide,
    });
  }
}
