import { createHash, randomBytes } from 'node:crypto';
import type { SecretStore } from '../connections/secret-store.ts';

const tokenBytes = 24;
const secretId = (automationId: number): string => `automation-webhook-${automationId}`;

/** The hash of a token, which is all that the log and the views know of it. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The secret tokens in the webhook addresses of automations. */
export class WebhookTokens {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  /** The hash of the automation's token; a token is made when there is none. */
  async issue(automationId: number): Promise<string> {
    await this.#secrets.keep(secretId(automationId), randomBytes(tokenBytes).toString('base64url'));
    return hashOfToken((await this.#secrets.find(secretId(automationId)))?.reveal() ?? '');
  }

  /** The address that requests have to go to; null when the automation has no token. */
  async urlOf(automationId: number, baseUrl: string | null): Promise<string | null> {
    const token = await this.#secrets.find(secretId(automationId));
    return token ? `${baseUrl ?? ''}/hooks/automations/${token.reveal()}` : null;
  }

  forget(automationId: number): Promise<void> {
    return this.#secrets.forget(secretId(automationId));
  }
}
