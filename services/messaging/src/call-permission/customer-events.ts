import { Inject, Injectable } from '@nestjs/common';
import type { CallPermissionEvent, ChatContactEvent } from '@parley/contracts';
import { Aggregates, type Clock } from '@parley/event-store';
import { CLOCK, CONFIG } from '@parley/service-kit';
import type { ChatEventCause, ChatEventHandler } from '../callbacks/chat-event-handler.ts';
import type { MessagingConfig } from '../config.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import { askOfReference } from './ask-message.ts';
import { type Contact, settleAsk } from './asking.ts';
import type { CallPermission } from './call-permission.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { PermissionLog } from './permission-log.ts';
import type { PermissionTerms } from './standing.ts';
import { termsOf } from './terms.ts';

type StatusEvent = Extract<ChatContactEvent, { readonly type: 'message_status_changed' }>;
type ReplyEvent = Extract<ChatContactEvent, { readonly type: 'call_permission_replied' }>;

/** What the chat platform tells of a customer, as far as it is about calls: messages, answers, the fate of an ask. */
@Injectable()
export class CustomerEvents implements ChatEventHandler {
  readonly name = 'call-permission';
  readonly #log: PermissionLog;
  readonly #clock: Clock;
  readonly #terms: PermissionTerms;

  constructor(aggregates: Aggregates, @Inject(CLOCK) clock: Clock, @Inject(CONFIG) config: MessagingConfig) {
    this.#log = new PermissionLog(aggregates);
    this.#clock = clock;
    this.#terms = termsOf(config);
  }

  async handle(event: ChatContactEvent, sender: KnownSender, cause: ChatEventCause): Promise<void> {
    const contact = { senderId: sender.id, phone: event.contact };
    const at = await this.#notAfterNow(event.at);
    const record = (decide: (state: CallPermission) => readonly CallPermissionEvent[]) =>
      this.#log.change(contact, {
        accountId: sender.accountId,
        ...cause,
        decide: (state) => ({ events: decide(state), reply: '{}' }),
      });
    switch (event.type) {
      case 'message_received':
        await record(() => [contactWrote(contact, event.message_id, at)]);
        return;
      case 'call_permission_replied':
        await record((state) => [recordReply(state, contact, replyOf(event, at), this.#terms)]);
        return;
      case 'message_status_changed': {
        const askId = askOfReference(event.reference);
        if (askId !== null) await record((state) => fateOf(state, contact, askId, event));
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** A platform whose clock is ahead must not keep a session open for longer. */
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

/** A failure is news of an ask that nobody knows the outcome of; whoever is still asking hears of it from the platform. */
function fateOf(
  state: CallPermission,
  contact: Contact,
  askId: string,
  event: StatusEvent,
): readonly CallPermissionEvent[] {
  const ask = state.asks.find(({ id }) => id === askId);
  if (event.status === 'failed' && ask?.status !== 'unknown') return [];
  return settleAsk(state, contact, askId, outcomeOf(event));
}

const outcomeOf = ({ status, message_id, error }: StatusEvent) =>
  status === 'failed'
    ? ({ kind: 'failed', code: error?.code ?? null, reason: error?.title ?? 'It failed.' } as const)
    : ({ kind: 'sent', messageSid: message_id } as const);
