import { type CallPermissionEvent, wholePerson } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** A request to the customer for permission to call them. */
export interface Ask {
  readonly id: string;
  /** ISO 8601, as all times here: by the platform clock for asks, by the chat platform for what the customer does. */
  readonly at: string;
  /** `started`: being handed over. `unknown`: the chat platform may have taken it. */
  readonly status: 'started' | 'sent' | 'unknown';
  /** It reached the customer. A later report that it did not is about another of their devices. */
  readonly isDelivered: boolean;
  readonly messageSid: string | null;
  readonly fingerprint: string | null;
}

/** The customer's answer to an ask, or permission that they gave or took back unasked. */
export interface Reply {
  readonly id: string;
  readonly at: string;
  readonly response: 'accept' | 'reject' | 'revoke';
  /** The end of a temporary permission; `null` for everything else. */
  readonly expiresAt: string | null;
}

interface Happening {
  readonly id: string;
  readonly at: string;
}

/** What call permission between one sender and one customer rests on. */
export interface CallPermission {
  /** Asks that count against the limits, oldest first. */
  readonly asks: readonly Ask[];
  /** Asks that did not reach the customer, as far as is known. */
  readonly failedAsks: readonly Ask[];
  /** The latest reply, by the time at which the customer gave it. */
  readonly reply: Reply | null;
  /** The customer's own last message. */
  readonly lastMessage: Happening | null;
  /** The last call that was answered, in either direction; `at` is its end. */
  readonly connectedCall: Happening | null;
}

export const permissionStream = (senderId: number, phone: string): string =>
  `permission-${senderId}:${phone}`;

/**
 * The stream of a permission's id as operators and the history write it (`7:+491701234567`, or with the chat platform's id
 * of a customer who hides their number); undefined for other ids.
 */
export function permissionStreamOf(id: string): string | undefined {
  const [, phone] = /^[1-9]\d{0,15}:(.+)$/.exec(id) ?? [];
  return phone !== undefined && wholePerson.test(phone) ? `permission-${id}` : undefined;
}

/** Milliseconds for which asks stay in the state, more than any limit looks back. */
const asksKeptMs = 90 * 24 * 60 * 60 * 1000;

export const callPermission: Fold<CallPermission, CallPermissionEvent> = {
  initialState: { asks: [], failedAsks: [], reply: null, lastMessage: null, connectedCall: null },
  evolve(state, event) {
    switch (event.type) {
      case 'CallPermissionAskStarted': {
        const { ask_id: id, at, command_fingerprint: fingerprint } = event.data;
        const since = Date.parse(at) - asksKeptMs;
        const isKept = (ask: Ask) => Date.parse(ask.at) > since && ask.id !== id;
        const begun = {
          id,
          at,
          status: 'started',
          isDelivered: false,
          messageSid: null,
          fingerprint,
        } as const;
        return {
          ...state,
          asks: [...state.asks.filter(isKept), begun],
          failedAsks: state.failedAsks.filter(isKept),
        };
      }
      case 'CallPermissionRequested':
        return changeAsk(state, event.data.ask_id, { status: 'sent', messageSid: event.data.message_sid });
      case 'CallPermissionAskUncertain':
        return changeAsk(state, event.data.ask_id, { status: 'unknown' });
      case 'CallPermissionAskFailed':
        return failAsk(state, event.data.ask_id);
      case 'CallPermissionAskDelivered':
        return changeAsk(state, event.data.ask_id, { isDelivered: true });
      case 'CallPermissionGranted':
        return { ...state, reply: replyOf('accept', event.data, endOf(event.data.validity)) };
      case 'CallPermissionRejected':
        return { ...state, reply: replyOf('reject', event.data) };
      case 'CallPermissionRevoked':
        return { ...state, reply: replyOf('revoke', event.data) };
      case 'ContactWrote':
        return {
          ...state,
          lastMessage: later(state.lastMessage, { id: event.data.message_sid, at: event.data.at }),
        };
      case 'ContactVoiceCallEnded': {
        const { status, call_id, at } = event.data;
        if (status !== 'completed') return state;
        return { ...state, connectedCall: later(state.connectedCall, { id: String(call_id), at }) };
      }
      default:
        return state;
    }
  },
};

/** Changes an ask. One that had failed counts again: such news means that it did not fail. */
function changeAsk(state: CallPermission, askId: string, change: Partial<Ask>): CallPermission {
  const isIt = ({ id }: Ask) => id === askId;
  const { asks, failedAsks } = state;
  const changed = asks.map((ask) => (isIt(ask) ? { ...ask, ...change } : ask));
  const failed = failedAsks.find(isIt);
  if (!failed) return { ...state, asks: changed };
  const revived = [...changed, { ...failed, ...change }].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { ...state, asks: revived, failedAsks: failedAsks.filter((ask) => !isIt(ask)) };
}

function failAsk({ asks, failedAsks, ...state }: CallPermission, askId: string): CallPermission {
  const failed = asks.filter(({ id }) => id === askId);
  return {
    ...state,
    asks: asks.filter(({ id }) => id !== askId),
    failedAsks: [...failedAsks, ...failed],
  };
}

const endOf = (
  validity: { readonly kind: 'permanent' } | { readonly kind: 'temporary'; readonly expires_at: string },
): string | null => (validity.kind === 'temporary' ? validity.expires_at : null);

const replyOf = (
  response: Reply['response'],
  data: { readonly reply_id: string; readonly at: string },
  expiresAt: string | null = null,
): Reply => ({ id: data.reply_id, at: data.at, response, expiresAt });

/** The later of two happenings: callbacks come in any order, and what happened last counts. */
const later = (known: Happening | null, next: Happening): Happening =>
  known && Date.parse(known.at) > Date.parse(next.at) ? known : next;
