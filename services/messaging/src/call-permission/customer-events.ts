import { Inject, Injectable } from '@nestjs/common';
import {
  CallPermissionAskStarted,
  type CallPermissionEvent,
  type ChatContactEvent,
  hasWritten,
} from '@parley/contracts';
import { Aggregates, type Clock, type EventStore, type RecordedEvent } from '@parley/event-store';
import { CLOCK, CONFIG, EVENT_STORE } from '@parley/service-kit';
import type { ChatEventCause, ChatEventHandler } from '../callbacks/chat-event-handler.ts';
import { newsOf } from '../callbacks/news-of.ts';
import type { MessagingConfig } from '../config.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import { askOfReference } from './ask-message.ts';
import { type AskOutcome, type Contact, settleAsk } from './asking.ts';
import { type CallPermission, permissionStream } from './call-permission.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { PermissionLog } from './permission-log.ts';
import type { PermissionTerms } from './standing.ts';
import { termsOf } from './terms.ts';

type StatusEvent = Extract<ChatContactEvent, { readonly type: 'message_status_changed' }>;
type ReplyEvent = Extract<ChatContactEvent, { readonly type: 'call_permission_replied' }>;

/**
 * Records what the chat platform tells that bears on calls: messages of the customer, replies to asks, statuses of
 * asks.
 */
@Injectable()
export class CustomerEvents implements ChatEventHandler {
  readonly name = 'call-permission';
  readonly #log: PermissionLog;
  readonly #clock: Clock;
  readonly #store: EventStore;
  readonly #terms: PermissionTerms;

  constructor(
    aggregates: Aggregates,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: MessagingConfig,
    @Inject(EVENT_STORE) store: EventStore,
  ) {
    this.#log = new PermissionLog(aggregates);
    this.#store = store;
    this.#clock = clock;
    this.#terms = termsOf(config);
  }

  async handle(event: ChatContactEvent, sender: KnownSender, cause: ChatEventCause): Promise<void> {
    const contact = { senderId: sender.id, phone: event.contact };
    const at = await this.#notAfterNow(event.at);
    const record = (
      decide: (state: CallPermission) => readonly CallPermissionEvent[],
      { command, metadata } = cause,
    ) =>
      this.#log.change(contact, {
        accountId: sender.accountId,
        command,
        metadata,
        decide: (state) => ({ events: decide(state), reply: '{}' }),
      });
    switch (event.type) {
      case 'message_received':
        if (hasWritten(event.kind)) await record(() => [contactWrote(contact, event.message_id, at)]);
        return;
      case 'call_permission_replied':
        await record((state) => [recordReply(state, contact, replyOf(event, at), this.#terms)]);
        return;
      case 'message_status_changed': {
        const askId = askOfReference(event.reference);
        const beginning = askId === null ? undefined : await this.#beginningOf(contact, askId);
        // Another sender that has, or had, the number has not asked.
        if (askId === null || !beginning) return;
        const metadata = newsOf(beginning, cause.metadata);
        await record((state) => settleAsk(state, contact, askId, outcomeOf(event)), { ...cause, metadata });
        return;
      }
      case 'message_sent_by_hand':
      case 'contact_moved':
      case 'marketing_preference_changed':
        return;
      default:
        event satisfies never;
    }
  }

  /** The event that began the ask; the newest, as a command that asks again after a failed ask uses its id again. */
  async #beginningOf({ senderId, phone }: Contact, askId: string): Promise<RecordedEvent | undefined> {
    const events = await this.#store.readStream(permissionStream(senderId, phone));
    return events.findLast(({ type, data }) => {
      const { success, data: begun } = CallPermissionAskStarted.data.safeParse(data);
      return type === CallPermissionAskStarted.type && success && begun.ask_id === askId;
    });
  }

  /** The time, but not later than now: a platform whose clock is ahead must not keep a session open for longer. */
  async #notAfterNow(at: string): Promise<string> {
    const now = await this.#clock.now();
    return new Date(Math.min(Date.parse(at), now.getTime())).toISOString();
  }
}

const replyOf = (event: ReplyEvent, at: string) => ({
  replyId: event.message_id,
  at,
  response:
    event.response === 'accept'
      ? ('accept' as const)
      : event.request_message_id === null
        ? ('revoke' as const)
        : ('reject' as const),
  isPermanent: event.is_permanent,
  expiresAt: event.expires_at,
});

function outcomeOf({ status, message_id: messageSid, at, error }: StatusEvent): AskOutcome {
  switch (status) {
    case 'sent':
      return { kind: 'sent', messageSid };
    case 'delivered':
    case 'read':
      return { kind: 'delivered', messageSid, at };
    case 'failed':
      return {
        kind: 'undeliverable',
        messageSid,
        code: error?.code ?? null,
        reason: error?.reason ?? 'It failed.',
      };
    default:
      return status satisfies never;
  }
}
