import { Inject, Injectable } from '@nestjs/common';
import type { SqlExecutor } from '@parley/event-store';
import { READ_POOL } from '@parley/service-kit';
import { voiceTemplateAmong } from '../call-permission/voice-template.ts';
import { createSenderLoader, createSendersByNumberLoader, type KnownSender } from './sender-queries.ts';
import { createTemplateLoader, findVoiceTemplates, type KnownTemplate } from './template-queries.ts';

/** Finds senders and templates by id; the reads of one event-loop tick travel in one statement. */
@Injectable()
export class Directory {
  readonly #sql: SqlExecutor;
  readonly #sender: ReturnType<typeof createSenderLoader>;
  readonly #template: ReturnType<typeof createTemplateLoader>;
  /** Finds the senders, of any account, that something is for which happened to a number; for the platform's callbacks. */
  readonly sendersOfNumber: ReturnType<typeof createSendersByNumberLoader>;

  constructor(@Inject(READ_POOL) sql: SqlExecutor) {
    this.#sql = sql;
    this.#sender = createSenderLoader(sql);
    this.#template = createTemplateLoader(sql);
    this.sendersOfNumber = createSendersByNumberLoader(sql);
  }

  /** The account's own sender; `undefined` for an unknown one and for another account's alike. */
  async sender(accountId: number, senderId: number): Promise<KnownSender | undefined> {
    const found = await this.#sender(senderId);
    return found?.accountId === accountId ? found : undefined;
  }

  /** A template of this sender; `undefined` for an unknown one and for another sender's alike. */
  async template(senderId: number, templateId: number): Promise<KnownTemplate | undefined> {
    const found = await this.#template(templateId);
    return found?.senderId === senderId ? found : undefined;
  }

  /**
   * The sender's newest approved template for call permission that an ask can fill; if none, the newest; else
   * `undefined`.
   */
  async voiceTemplate(senderId: number): Promise<KnownTemplate | undefined> {
    return voiceTemplateAmong(await findVoiceTemplates(this.#sql, senderId));
  }
}
