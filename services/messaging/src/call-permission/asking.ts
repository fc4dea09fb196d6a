import { type CallPermissionEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import { type Ask, type CallPermission, permissionStream } from './call-permission.ts';
import { type Circumstances, refusalOf } from './rules.ts';

/** A sender and a customer, between whom the permission holds. */
export interface Contact {
  readonly senderId: number;
  /** E.164, or the chat platform's id of a customer who hides their number. */
  readonly phone: string;
}

/** An ask that a command wants to make. */
export interface StartAsk extends Contact {
  /** UUID of the command, so that a repeated command finds its own ask. */
  readonly askId: string;
  readonly fingerprint: string | null;
  readonly conversationId: string | null;
  /** `null` when the sender has no template to ask with. */
  readonly templateId: number | null;
}

/** Reply of `startAsk`. `begun`: on record, and to be handed over now. `sent`: the platform took it before. */
interface AskProgress {
  readonly ask: 'begun' | 'sent';
}

type AskDecision = Decision<CallPermissionEvent, AskProgress>;

export const askTimerKind = 'call-permission-ask';
const askTimerId = (askId: string): string => `${askTimerKind}:${askId}`;
/** Fires when the process that asks no longer renews it and has recorded no outcome: then the outcome is unknown. */
const askTimer = (contact: Contact, askId: string): TimerRequest => ({
  id: askTimerId(askId),
  kind: askTimerKind,
  due: { afterMs: leaseMs },
  payload: { sender_id: contact.senderId, customer_phone: contact.phone, ask_id: askId },
});
export const askScope = 'call-permission-ask';
/** Ties the command to this contact: the same command id cannot ask another one. */
const claimOf = (contact: Contact, askId: string, op: 'take' | 'release') => ({
  op,
  scope: askScope,
  key: askId,
  owner: permissionStream(contact.senderId, contact.phone),
});

/**
 * Records an ask before the platform is asked to send it, so that it is never sent twice; or refuses it by the rules. A
 * command that has asked before is answered by what became of its ask.
 */
export function startAsk(
  about: Circumstances,
  { askId, fingerprint, conversationId, templateId, ...contact }: StartAsk,
): AskDecision | Rejection {
  const known = about.state.asks.find(({ id }) => id === askId);
  if (known) return knownAsk(known, fingerprint);
  const refusal = refusalOf(about, 'request');
  if (refusal) return refusal;
  if (templateId === null) return reject('voice_template_not_found');
  const data = {
    ...fieldsOf(contact),
    ask_id: askId,
    conversation_id: conversationId,
    template_id: templateId,
    command_id: askId,
    command_fingerprint: fingerprint,
    at: new Date(about.now).toISOString(),
  };
  return {
    events: [{ type: 'CallPermissionAskStarted', data }],
    claims: [claimOf(contact, askId, 'take')],
    onClaimTaken: () => reject('idempotency_key_reuse'),
    timers: [askTimer(contact, askId)],
    reply: { ask: 'begun' },
  };
}

/** Postpones the timer of the ask while its outcome is not known. */
export const renewAsk = (
  { asks }: CallPermission,
  contact: Contact,
  askId: string,
): Decision<CallPermissionEvent> => ({
  events: [],
  timers: asks.some(({ id, status }) => id === askId && status === 'started')
    ? [askTimer(contact, askId)]
    : [],
  reply: '{}',
});

/** The answer of a repeated command by its ask, which is not sent again. */
function knownAsk(ask: Ask, fingerprint: string | null): AskDecision | Rejection {
  if (fingerprint !== ask.fingerprint) return reject('idempotency_key_reuse');
  switch (ask.status) {
    case 'started':
      return reject('idempotency_in_progress');
    case 'unknown':
      return outcomeUnknown();
    case 'sent':
      return { events: [], reply: { ask: 'sent' } };
    default:
      return ask.status satisfies never;
  }
}

/** Rejection of an ask that may have reached the customer: it counts against the limits and is not repeated. */
export const outcomeUnknown = (): Rejection =>
  reject('send_failed', {
    message: 'The chat platform gave no usable answer. The customer may have been asked; it is not repeated.',
    details: { outcome: 'unknown' },
  });

/** Rejection of an ask that certainly did not reach the customer: it counts against no limit and may be repeated. */
export const notAsked = (): Rejection => reject('send_failed', { details: { outcome: 'not_sent' } });

/** What became of an ask, by the platform's answer to the send or by a later status. */
export type AskOutcome =
  /** The platform took it. `messageSid` is null when the platform's answer is not at hand. */
  | { readonly kind: 'sent'; readonly messageSid: string | null }
  | { readonly kind: 'failed'; readonly code: string | null; readonly reason: string }
  /** The platform took it and could not deliver it, by a status. */
  | {
      readonly kind: 'undeliverable';
      readonly messageSid: string;
      readonly code: string | null;
      readonly reason: string;
    }
  /** It reached the customer, by a status; `at` is ISO 8601. */
  | { readonly kind: 'delivered'; readonly messageSid: string; readonly at: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The events that an outcome leads to; none when it changes nothing. A certain outcome settles the ask, once, but one
 * that the platform took may still turn out undeliverable. An ask that was delivered has not failed, whatever is told
 * before or after: the platform reports failures for each of the customer's devices, in any order.
 */
export function settleAsk(
  state: CallPermission,
  contact: Contact,
  askId: string,
  outcome: AskOutcome,
): readonly CallPermissionEvent[] {
  const known = outcome.kind === 'delivered' ? [...state.asks, ...state.failedAsks] : state.asks;
  const ask = known.find(({ id }) => id === askId);
  if (!ask || ask.isDelivered || isOfAnother(ask, outcome)) return [];
  if (ask.status === 'sent' && outcome.kind !== 'undeliverable' && outcome.kind !== 'delivered') return [];
  const about = { ...fieldsOf(contact), ask_id: askId };
  switch (outcome.kind) {
    case 'delivered': {
      const sent = { kind: 'sent', messageSid: outcome.messageSid } as const;
      return [
        ...settleAsk({ ...state, asks: [ask] }, contact, askId, sent),
        { type: 'CallPermissionAskDelivered', data: { ...about, at: outcome.at } },
      ];
    }
    case 'sent':
      return [{ type: 'CallPermissionRequested', data: { ...about, message_sid: outcome.messageSid } }];
    case 'failed':
    case 'undeliverable':
      return [
        {
          type: 'CallPermissionAskFailed',
          data: { ...about, code: outcome.code, reason: outcome.reason },
        },
      ];
    case 'unknown':
      if (ask.status === 'unknown') return [];
      return [{ type: 'CallPermissionAskUncertain', data: { ...about, reason: outcome.reason } }];
    default:
      return outcome satisfies never;
  }
}

/**
 * Whether the outcome is about another message of the same ask id: a command that asks again after a failed ask uses
 * its id again, and a late status may be about the first message.
 */
const isOfAnother = ({ messageSid }: Ask, outcome: AskOutcome): boolean =>
  messageSid !== null &&
  'messageSid' in outcome &&
  outcome.messageSid !== null &&
  outcome.messageSid !== messageSid;

/** What an append that settles the ask does beside its events: frees the command id, and cancels the timer. */
export const afterAsk = (contact: Contact, askId: string) => ({
  claims: [claimOf(contact, askId, 'release')],
  cancelTimers: [askTimerId(askId)],
});

/** The contact as events name it. */
export const fieldsOf = ({ senderId, phone }: Contact) => ({ sender_id: senderId, customer_phone: phone });
