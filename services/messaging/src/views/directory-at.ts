import { Injectable } from '@nestjs/common';
import { Past, type PastMoment } from '@parley/service-kit';
import { isVoiceTemplate } from '../call-permission/voice-template.ts';
import { sender, senderStream } from '../sender/sender.ts';
import { PastTemplates } from '../template/past-templates.ts';
import { Directory } from './directory.ts';
import type { KnownSender } from './sender-queries.ts';
import type { KnownTemplate } from './template-queries.ts';

/** Finds senders and templates as they are, or were at a past moment, when such as are gone by now were there. */
@Injectable()
export class DirectoryAt {
  readonly #directory: Directory;
  readonly #past: Past;
  readonly #pastTemplates: PastTemplates;

  constructor(directory: Directory, past: Past, pastTemplates: PastTemplates) {
    this.#directory = directory;
    this.#past = past;
    this.#pastTemplates = pastTemplates;
  }

  /** The account's own sender; `undefined` when there is none. */
  async sender(accountId: number, senderId: number, past?: PastMoment): Promise<KnownSender | undefined> {
    if (!past) return this.#directory.sender(accountId, senderId);
    const stream = { accountId, streamId: senderStream(senderId), fold: sender };
    const then = (await this.#past.load(past, stream))?.state;
    return then ? { ...then, accountId } : undefined;
  }

  /** A template of the account's sender; `undefined` when there is none. */
  template(
    accountId: number,
    senderId: number,
    templateId: number,
    past?: PastMoment,
  ): Promise<KnownTemplate | undefined> {
    return past
      ? this.#pastTemplates.template(accountId, senderId, templateId, past)
      : this.#directory.template(senderId, templateId);
  }

  /**
   * The template that a customer is asked with for call permission: this one, if it is meant for that, or the sender's
   * newest one.
   */
  async voiceTemplate(
    accountId: number,
    senderId: number,
    templateId: number | null,
    past?: PastMoment,
  ): Promise<KnownTemplate | undefined> {
    if (templateId === null)
      return past
        ? this.#pastTemplates.voiceTemplate(accountId, senderId, past)
        : this.#directory.voiceTemplate(senderId);
    const found = await this.template(accountId, senderId, templateId, past);
    return found && isVoiceTemplate(found) ? found : undefined;
  }
}
