import type { Contact } from './asking.ts';
import type { CallPermission } from './call-permission.ts';
import { toOffsetTime, toOffsetTimeAfter } from './offset-time.ts';
import { type Circumstances, isAllowed, judge } from './rules.ts';
import { askableAt, countedAsks, grantOf, isSessionOpen, statusOf } from './standing.ts';

/** The Call permission object (service-api, section 2) as it is at `about.now`. */
export function renderPermission(contact: Contact, conversationId: string | null, about: Circumstances) {
  const { state, now } = about;
  const verdicts = judge(about);
  return {
    success: true as const,
    sender_id: contact.senderId,
    customer_phone: contact.phone,
    conversation_id: conversationId,
    status: statusOf(state, now),
    can_call: isAllowed(verdicts, 'call'),
    can_request: isAllowed(verdicts, 'request'),
    session_open: isSessionOpen(state, about.terms, now),
    expires_at: expiryOf(state, now),
    requested_at: offsetTimeOf(state.asks.at(-1)),
  };
}

const offsetTimeOf = (happening: { readonly at: string } | null | undefined): string | null =>
  happening ? toOffsetTime(Date.parse(happening.at)) : null;

/**
 * A permission as its history shows it. The status is as of the last ask or reply: whether a permission has expired
 * since, `expires_at` tells.
 */
export function showPermission(state: CallPermission) {
  const { asks, reply, lastMessage, connectedCall } = state;
  const lastWord = Math.max(...[asks.at(-1), reply].flatMap((each) => (each ? [Date.parse(each.at)] : [])));
  return {
    status: statusOf(state, lastWord),
    expires_at: expiryOf(state, lastWord),
    requested_at: offsetTimeOf(asks.at(-1)),
    answered_at: offsetTimeOf(reply),
    last_message_at: offsetTimeOf(lastMessage),
    connected_call_at: offsetTimeOf(connectedCall),
    requests: asks.map((ask) => ({
      status: ask.status,
      requested_at: offsetTimeOf(ask),
      message_sid: ask.messageSid,
    })),
  };
}

/** The end of a temporary permission, past or not, until the customer is asked again; null for everything else. */
export function expiryOf(state: CallPermission, now: number): string | null {
  const grant = statusOf(state, now) === 'pending' ? null : grantOf(state.reply);
  return grant && Number.isFinite(grant.expiresAt) ? toOffsetTime(grant.expiresAt) : null;
}

/**
 * How the limits of asking stand, and when the next ask is allowed: null when it is now, or time alone does not allow
 * it.
 */
export function renderLimits({ state, terms, now }: Circumstances) {
  const at = askableAt(state, terms, now);
  return {
    limits: terms.limits.map((limit) => {
      const counted = countedAsks(state, limit, now);
      const oldest = counted[0];
      return {
        window: limit.window,
        max: limit.max,
        used: counted.length,
        resets_at: oldest ? toOffsetTimeAfter(Date.parse(oldest.at) + limit.windowMs) : null,
      };
    }),
    can_request_at: at !== null && Number.isFinite(at) ? toOffsetTimeAfter(at) : null,
  };
}
