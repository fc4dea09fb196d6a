import { Inject, Injectable } from '@nestjs/common';
import { TemplateAdded } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import { EVENT_STORE, Past, type PastMoment } from '@parley/service-kit';
import { isVoiceTemplate, wantsBesideName } from '../call-permission/voice-template.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import { template, templateStream } from './template.ts';

const pageSize = 500;

/** Templates as they were, including those that the platform no longer has. */
@Injectable()
export class PastTemplates {
  readonly #past: Past;
  readonly #store: EventStore;

  constructor(past: Past, @Inject(EVENT_STORE) store: EventStore) {
    this.#past = past;
    this.#store = store;
  }

  /** A template of this sender; `undefined` when it had none such. The past counterpart of `Directory.template`. */
  async template(
    accountId: number,
    senderId: number,
    templateId: number,
    moment: PastMoment,
  ): Promise<KnownTemplate | undefined> {
    const stream = { accountId, streamId: templateStream(templateId), fold: template };
    const then = (await this.#past.load(moment, stream))?.state;
    return then?.senderId === senderId ? then : undefined;
  }

  /**
   * The template that the sender would have asked for call permission with. The past counterpart of
   * `Directory.voiceTemplate`.
   */
  async voiceTemplate(
    accountId: number,
    senderId: number,
    moment: PastMoment,
  ): Promise<KnownTemplate | undefined> {
    let unfit: KnownTemplate | undefined;
    for (const streamId of (await this.#streamsOf(accountId, senderId)).reverse()) {
      const then = (await this.#past.load(moment, { accountId, streamId, fold: template }))?.state;
      if (!then || !isVoiceTemplate(then)) continue;
      if (wantsBesideName(then).length === 0) return then;
      unfit ??= then;
    }
    return unfit;
  }

  /** The streams of all templates that the sender has ever had, oldest first. */
  async #streamsOf(accountId: number, senderId: number): Promise<string[]> {
    const streams: string[] = [];
    for (let after = 0; ; ) {
      const added = await this.#store.readAll({
        after,
        limit: pageSize,
        types: [TemplateAdded.type],
        accountId,
      });
      for (const { data, streamId } of added)
        if (TemplateAdded.data.parse(data).sender_id === senderId) streams.push(streamId);
      const last = added.at(-1);
      if (added.length < pageSize || !last) return streams;
      after = last.position;
    }
  }
}
