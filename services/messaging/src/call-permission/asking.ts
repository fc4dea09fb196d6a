import { type CallPermissionEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import { type Ask, type CallPermission, permissionStream } from './call-permission.ts';
import { type Circumstances, refusalOf } from './rules.ts';

/** Whose permission it is. */
export interface Contact {
  readonly senderId: number;
  /** E.164 */
  readonly phone: string;
}

export interface StartAsk extends Contact {
  /** A UUID: the command's, so that a repeated command finds its own ask. */
  readonly askId: string;
  readonly fingerprint: string | null;
  readonly conversationId: string | null;
  /** `null`: there is none to ask with. */
  readonly templateId: number | null;
}

/** Where the ask stands after the decision: on record and still to be handed over, or taken by the platform before. */
interface AskProgress {
  readonly ask: 'begun' | 'sent';
}

type AskDecision = Decision<CallPermissionEvent, AskProgress>;

export const askTimerKind = 'call-permission-ask';
const askTimerId = (askId: string): string => `${askTimerKind}:${askId}`;
/** An ask that nobody is at any more, and whose outcome nobody recorded, is uncertain. */
const askTimer = (contact: Contact, askId: string): TimerRequest => ({
  id: askTimerId(askId),
  kind: askTimerKind,
  due: { afterMs: leaseMs },
  payload: { sender_id: contact.senderId, customer_phone: contact.phone, ask_id: askId },
});
export const askScope = 'call-permission-ask';
/** One command asks one customer, whoever else gets its id. */
const claimOf = (contact: Contact, askId: string, op: 'take' | 'release') => ({
  op,
  scope: askScope,
  key: askId,
  owner: permissionStream(contact.senderId, contact.phone),
});

/** The intent, on record before the chat platform hears of it: whatever happens next, it is never asked twice. */
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

/** Postpones the timer until the outcome of the ask is known. */
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

/** A repeated command: the ask itself is in the history, so nothing is asked again. */
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

/** The customer was perhaps asked: it counts, and nobody asks again before the limits allow it. */
export const outcomeUnknown = (): Rejection =>
  reject('send_failed', {
    message: 'The chat platform gave no usable answer. The customer may have been asked; it is not repeated.',
    details: { outcome: 'unknown' },
  });

/** It certainly did not reach the customer: it counts against nothing, and may be repeated. */
export const notAsked = (): Rejection => reject('send_failed', { details: { outcome: 'not_sent' } });

export type AskOutcome =
  /** `messageSid` is null when only a status told of it. */
  | { readonly kind: 'sent'; readonly messageSid: string | null }
  | { readonly kind: 'failed'; readonly code: string | null; readonly reason: string }
  /** Taken, and given up later: only a status tells of it. */
  | {
      readonly kind: 'undeliverable';
      readonly messageSid: string;
      readonly code: string | null;
      readonly reason: string;
    }
  /** ISO 8601; a status told of it. */
  | { readonly kind: 'delivered'; readonly messageSid: string; readonly at: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The events that an outcome adds to what is known of the ask. A certain outcome settles it, once; but an ask that
 * the platform took may still turn out not to reach the customer. One that reached them has not failed, whatever is
 * told before or after: the platform tells the failures of each of the customer's devices, in any order.
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

/** A command that asked again, since its first ask had failed, gave both its id: what is told late may be of the first. */
const isOfAnother = ({ messageSid }: Ask, outcome: AskOutcome): boolean =>
  messageSid !== null &&
  'messageSid' in outcome &&
  outcome.messageSid !== null &&
  outcome.messageSid !== messageSid;

/** What an append of an outcome does beside its events. */
export const afterAsk = (contact: Contact, askId: string) => ({
  claims: [claimOf(contact, askId, 'release')],
  cancelTimers: [askTimerId(askId)],
});

export const fieldsOf = ({ senderId, phone }: Contact) => ({ sender_id: senderId, customer_phone: phone });
