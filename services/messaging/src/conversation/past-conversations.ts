import { Inject, Injectable } from '@nestjs/common';
import type { getConversation, OperationSuccess } from '@parley/contracts';
import { type EventStore, happenedBy, type SqlExecutor } from '@parley/event-store';
import { EVENT_STORE, Past, type PastMoment, READ_POOL } from '@parley/service-kit';
import { messageStream } from '../message/message.ts';
import { isConversationEvent } from '../views/conversation-events.ts';
import {
  type ConversationRow,
  type CursorPage,
  cut,
  findConversation,
  findConversationOf,
  toItem,
  toMessage,
} from '../views/conversation-queries.ts';
import { type MessageAt, messageIdsAt } from '../views/past-messages.ts';
import { messageOf, type ProjectedMessage, receivedAtOf, sentAtOf } from '../views/project-messages.ts';
import { conversation, conversationStream, stoppedAt } from './conversation.ts';
import type { Parties, Standing } from './conversations.ts';
import { type LastMessages, windowsAt } from './windows.ts';

type Detail = OperationSuccess<typeof getConversation>;

/** Templates, newest first, among which the one that the platform took last is looked for. */
const maxTemplates = 50;
const received = 10;

/** Conversations as they were: their streams folded up to a moment, and shown as the view shows present ones. */
@Injectable()
export class PastConversations {
  readonly #past: Past;
  readonly #sql: SqlExecutor;
  readonly #store: EventStore;

  constructor(past: Past, @Inject(EVENT_STORE) store: EventStore, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#past = past;
    this.#sql = sql;
    this.#store = store;
  }

  /**
   * A conversation with the messages of that moment, newest first; `null` when there was none, or it is another
   * account's.
   */
  async read(
    uuid: string,
    { accountId, cursor, perPage }: CursorPage,
    moment: PastMoment,
  ): Promise<Detail | null> {
    const row = await findConversation(this.#sql, accountId, uuid);
    const then = row && (await this.#at(row, moment));
    if (!then) return null;
    const [messages, [newest], lastReceived, movedFrom] = await Promise.all([
      messageIdsAt(this.#sql, row.id, moment, { before: cursor, limit: perPage + 1 }),
      messageIdsAt(this.#sql, row.id, moment, { limit: 1 }),
      this.#lastReceived(row.id, moment),
      this.#movedFrom(row, moment),
    ]);
    const { page, next_cursor } = cut(messages, perPage);
    const shown = await Promise.all(page.map(({ id }) => this.#message(id, moment)));
    return {
      data: {
        ...toItem({
          ...then,
          moved_from: movedFrom,
          last_message_at: newest?.created_at ?? null,
          last_received_at: lastReceived === null ? null : new Date(lastReceived),
        }),
        messages: shown.flatMap((each) => (each ? [toMessage(each)] : [])),
      },
      next_cursor,
    };
  }

  /** The conversation, null if there was none, and both messaging windows as they stood at the moment. */
  async standing({ accountId, senderId, contactPhone }: Parties, moment: PastMoment): Promise<Standing> {
    const row = await findConversationOf(this.#sql, { senderId, contactPhone });
    const then = row?.account_id === accountId ? await this.#at(row, moment) : null;
    if (!then)
      return { conversation: null, ...windowsAt({ receivedAt: null, templateSentAt: null }, moment.at) };
    const last: LastMessages = {
      receivedAt: await this.#lastReceived(then.id, moment),
      templateSentAt: await this.#lastTemplate(then.id, moment),
    };
    const { id, uuid, contact_phone, contact_name: contactName, is_ai_enabled: isAiEnabled } = then;
    return {
      conversation: { id, uuid, isAiEnabled, contactName, contactPhone: contact_phone },
      ...windowsAt(last, moment.at),
    };
  }

  async #at(row: ConversationRow, moment: PastMoment): Promise<ConversationRow | null> {
    const { account_id: accountId, id } = row;
    const past = { accountId, streamId: conversationStream(id), fold: conversation };
    const state = (await this.#past.load(moment, past))?.state;
    if (!state) return null;
    const { contactName: contact_name, isAiEnabled: is_ai_enabled, moved, marketing } = state;
    const stopped = stoppedAt(marketing);
    return {
      ...row,
      contact_name,
      is_ai_enabled,
      moved_to: moved?.movedTo ?? null,
      marketing_stopped_at: stopped === null ? null : new Date(stopped),
    };
  }

  /** The number that the contact was known to have had before. */
  async #movedFrom(row: ConversationRow, moment: PastMoment): Promise<string | null> {
    const { sender_id, contact_phone, moved_from } = row;
    if (moved_from === null) return null;
    const parties = { senderId: sender_id, contactPhone: moved_from };
    const before = await findConversationOf(this.#sql, parties);
    const then = before && (await this.#at(before, moment));
    return then?.moved_to === contact_phone ? moved_from : null;
  }

  async #message(id: number, moment: PastMoment): Promise<ProjectedMessage | null> {
    return messageOf(await this.#eventsOf(id, moment));
  }

  async #eventsOf(id: number, moment: PastMoment) {
    const events = await this.#store.readStream(messageStream(id));
    return events.filter(happenedBy(moment)).filter(isConversationEvent);
  }

  /**
   * When the contact wrote last, by the chat platform; ISO 8601, null when never. A message comes in after it was
   * written, so the newest recorded one need not be the one written last: looks back until no earlier record can be.
   */
  async #lastReceived(id: number, moment: PastMoment): Promise<string | null> {
    let last: string | null = null;
    for (let before: string | undefined; ; ) {
      const page: readonly MessageAt[] = await messageIdsAt(this.#sql, id, moment, {
        direction: 'inbound',
        before,
        limit: received,
      });
      for (const { id: messageId, created_at } of page) {
        if (last !== null && created_at.getTime() <= Date.parse(last)) return last;
        const at = receivedAtOf(await this.#eventsOf(messageId, moment));
        if (at !== null && (last === null || Date.parse(at) > Date.parse(last))) last = at;
      }
      const oldest = page.at(-1);
      if (page.length < received || !oldest) return last;
      before = String(oldest.position);
    }
  }

  async #lastTemplate(id: number, moment: PastMoment): Promise<string | null> {
    const templates = await messageIdsAt(this.#sql, id, moment, { type: 'template', limit: maxTemplates });
    const sent = await Promise.all(
      templates.map(async ({ id: messageId }) => sentAtOf(await this.#eventsOf(messageId, moment))),
    );
    return sent.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null);
  }
}
