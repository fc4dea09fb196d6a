import { Inject, Injectable } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  type EventStore,
  happenedBy,
  type Moment,
  type RecordedEvent,
} from '@parley/event-store';
import { isPhoneNumber } from '@parley/phone-numbers';
import { CLOCK, CONFIG, EVENT_STORE, Past, type PastMoment } from '@parley/service-kit';
import type { MessagingConfig } from '../config.ts';
import type { Parties } from '../conversation/conversations.ts';
import { PastConversations } from '../conversation/past-conversations.ts';
import { senderStream } from '../sender/sender.ts';
import { templateStream } from '../template/template.ts';
import { DirectoryAt } from '../views/directory-at.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import type { Contact } from './asking.ts';
import { permissionStream } from './call-permission.ts';
import { circumstancesAt } from './circumstances.ts';
import { ContactConversations } from './contact-conversations.ts';
import { PermissionLog } from './permission-log.ts';
import type { Circumstances } from './rules.ts';
import type { PermissionTerms } from './standing.ts';
import { termsOf } from './terms.ts';

interface Looked {
  readonly sender_id: number;
  readonly recipient_phone: string;
  /** Template to ask with; when absent, the one that an ask without it would use. */
  readonly template_id?: number | undefined;
  readonly as_of?: string | undefined;
}

/** A permission and what its rules depend on, at one moment. */
export interface Seen {
  readonly contact: Contact;
  readonly sender: KnownSender;
  readonly templateId: number | null;
  readonly conversationId: string | null;
  readonly circumstances: Circumstances;
  /** The moment up to which events count; all of them when it is empty. */
  readonly moment: Moment;
}

/** Reads a permission as it is or was; the terms are today's in either case. */
@Injectable()
export class CallPermissionReader {
  readonly #log: PermissionLog;
  readonly #past: Past;
  readonly #pastConversations: PastConversations;
  readonly #store: EventStore;
  readonly #directory: DirectoryAt;
  readonly #conversations: ContactConversations;
  readonly #clock: Clock;
  readonly #terms: PermissionTerms;

  constructor(
    aggregates: Aggregates,
    directory: DirectoryAt,
    conversations: ContactConversations,
    past: Past,
    pastConversations: PastConversations,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: MessagingConfig,
  ) {
    this.#log = new PermissionLog(aggregates);
    this.#past = past;
    this.#pastConversations = pastConversations;
    this.#store = store;
    this.#directory = directory;
    this.#conversations = conversations;
    this.#clock = clock;
    this.#terms = termsOf(config);
  }

  /**
   * The permission that the request is about, at its `as_of` or now; a rejection when there is no such sender or
   * moment, or the number is invalid.
   */
  async of(accountId: number, input: Looked): Promise<Seen | Rejection> {
    const { sender_id: senderId, recipient_phone: recipientPhone, as_of } = input;
    const past = await this.#past.momentOf(as_of);
    if (past && 'code' in past) return past;
    const moment: Moment = past ?? {};
    const sender = await this.#directory.sender(accountId, senderId, past);
    if (!sender) return reject('not_found');
    if (!isPhoneNumber(recipientPhone)) return reject('invalid_phone');
    const contact = await this.#conversations.known({ senderId, phone: recipientPhone });
    const [now, { state }, template, conversationId] = await Promise.all([
      past?.at ?? this.#clock.now(),
      this.#log.loadAt(contact, moment),
      this.#directory.voiceTemplate(accountId, senderId, input.template_id ?? null, past),
      past
        ? this.#pastUuid({ accountId, senderId, contactPhone: contact.phone }, past)
        : this.#conversations.uuidOf(contact),
    ]);
    const circumstances = circumstancesAt(now, state, {
      sender,
      template: template ?? null,
      terms: this.#terms,
    });
    return { contact, sender, templateId: template?.id ?? null, conversationId, circumstances, moment };
  }

  async #pastUuid(parties: Parties, past: PastMoment): Promise<string | null> {
    return (await this.#pastConversations.standing(parties, past)).conversation?.uuid ?? null;
  }

  /**
   * The events that a verdict can rest on: of sender, template and permission one after the other, oldest first in
   * each.
   */
  async evidence({ contact, templateId, moment }: Seen): Promise<readonly RecordedEvent[]> {
    const streams = [
      senderStream(contact.senderId),
      ...(templateId === null ? [] : [templateStream(templateId)]),
      permissionStream(contact.senderId, contact.phone),
    ];
    const events = (await Promise.all(streams.map((stream) => this.#store.readStream(stream)))).flat();
    return events.filter(happenedBy(moment));
  }
}
