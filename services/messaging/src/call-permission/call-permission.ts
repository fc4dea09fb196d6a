import type { CallPermissionEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** A question to the customer. */
export interface Ask {
  readonly id: string;
  /** ISO 8601, as all times here: the platform clock for asks, the chat platform's word for what the customer does. */
  readonly at: string;
  /** `unknown`: the chat platform may have taken it. */
  readonly status: 'started' | 'sent' | 'unknown';
  /** It reached the customer: a platform that says later that it did not means another device. */
  readonly isDelivered: boolean;
  readonly messageSid: string | null;
  readonly fingerprint: string | null;
}

export interface Reply {
  readonly id: string;
  readonly at: string;
  readonly response: 'accept' | 'reject' | 'revoke';
  /** `null` unless it is a temporary permission. */
  readonly expiresAt: string | null;
}

interface Happening {
  readonly id: string;
  readonly at: string;
}

/** Between one sender and one customer: what may be asked, and whether calls are welcome. */
export interface CallPermission {
  /** Those that count against the limits, oldest first. */
  readonly asks: readonly Ask[];
  /** Those that did not reach the customer, as far as is known. */
  readonly failedAsks: readonly Ask[];
  /** The latest, by the time the customer gave it. */
  readonly reply: Reply | null;
  /** The customer's own last message. */
  readonly lastMessage: Happening | null;
  readonly connectedCall: Happening | null;
}

export const permissionStream = (senderId: number, phone: string): string =>
  `permission-${senderId}:${phone}`;

/** How operators and the history name one: `permission/7:+491701234567`. */
export const permissionStreamOf = (id: string): string | undefined =>
  /^[1-9]\d{0,15}:\+[1-9]\d{6,14}$/.test(id) ? `permission-${id}` : undefined;

/** Longer than any limit looks back. */
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

/** News of an ask that has failed mean that it has not. */
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

/** Callbacks come in any order: what happened last counts, not what was told last. */
const later = (known: Happening | null, next: Happening): Happening =>
  known && Date.parse(known.at) > Date.parse(next.at) ? known : next;
