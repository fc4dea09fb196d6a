import type { Ask, CallPermission, Reply } from './call-permission.ts';

/** All figures of call permission (service-api, sections 7 and 8; decisions, section 2), in milliseconds. */
export interface PermissionTerms {
  /** The limits of asking, shortest window first. */
  readonly limits: readonly AskLimit[];
  /** How long a customer's message keeps the session open. */
  readonly sessionMs: number;
  /** How long a temporary permission lasts whose end the chat platform does not tell. */
  readonly temporaryGrantMs: number;
  /** ISO 3166-1 alpha-2 codes of senders that may not call customers. */
  readonly countriesWithoutCalls: readonly string[];
}

/** At most `max` asks within the window, or since the last connected call. */
export interface AskLimit {
  readonly window: '24h' | '7d';
  readonly windowMs: number;
  readonly max: number;
  /** The `reason` in the details of `REQUEST_LIMIT`. */
  readonly reason: 'already_asked_24h' | 'weekly_cap';
}

export type PermissionStatus = 'pending' | 'granted' | 'rejected' | 'revoked' | 'expired';

/**
 * The permission in a reply, over or not; null when it grants none. `expiresAt`: milliseconds since 1970, infinite for
 * a permanent permission.
 */
export function grantOf(reply: Reply | null): { readonly reply: Reply; readonly expiresAt: number } | null {
  if (reply?.response !== 'accept') return null;
  return {
    reply,
    expiresAt: reply.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(reply.expiresAt),
  };
}

/** Whether the customer allows calls at `now` (milliseconds since 1970). */
export const isGranted = ({ reply }: CallPermission, now: number): boolean =>
  (grantOf(reply)?.expiresAt ?? Number.NEGATIVE_INFINITY) > now;

/** The permission's status; `null` while the customer was neither asked nor replied. */
export function statusOf(state: CallPermission, now: number): PermissionStatus | null {
  const { reply } = state;
  if (isGranted(state, now)) return 'granted';
  const lastAsk = state.asks.at(-1);
  if (lastAsk && (!reply || Date.parse(reply.at) < wholeSecond(lastAsk.at))) return 'pending';
  return reply && statusAfter[reply.response];
}

/** The status after a reply that grants no permission, or no longer. */
const statusAfter = { accept: 'expired', reject: 'rejected', revoke: 'revoked' } as const;

/**
 * The ask's time in whole seconds, as the chat platform tells times: a reply within the same second is a reply to it.
 */
const wholeSecond = (at: string): number => Math.floor(Date.parse(at) / 1000) * 1000;

/** When the session closes, in milliseconds since 1970; `null` when the customer never wrote. */
export const sessionEndOf = (
  { lastMessage }: CallPermission,
  { sessionMs }: PermissionTerms,
): number | null => lastMessage && Date.parse(lastMessage.at) + sessionMs;

/** Whether the customer has written recently enough to be asked. */
export const isSessionOpen = (state: CallPermission, terms: PermissionTerms, now: number): boolean =>
  (sessionEndOf(state, terms) ?? Number.NEGATIVE_INFINITY) > now;

/** The asks that a limit counts, oldest first: within its window, and not before the last connected call. */
export function countedAsks(
  { asks, connectedCall }: CallPermission,
  { windowMs }: AskLimit,
  now: number,
): readonly Ask[] {
  const connectedAt = connectedCall ? Date.parse(connectedCall.at) : Number.NEGATIVE_INFINITY;
  return asks.filter(({ at }) => {
    const askedAt = Date.parse(at);
    return askedAt > now - windowMs && askedAt >= connectedAt;
  });
}

/** When a limit that is reached has room for one more ask, in milliseconds since 1970; `null` while it has room. */
export function limitFreesAt(state: CallPermission, limit: AskLimit, now: number): number | null {
  const counted = countedAsks(state, limit, now);
  const freeing = counted[counted.length - limit.max];
  return freeing ? Date.parse(freeing.at) + limit.windowMs : null;
}

/**
 * When neither a limit nor a present permission stands against an ask any more, in milliseconds since 1970: `null` when
 * that is now, infinite when time alone does not get there.
 */
export function askableAt(state: CallPermission, terms: PermissionTerms, now: number): number | null {
  const moments = terms.limits.map((limit) => limitFreesAt(state, limit, now) ?? now);
  const grant = grantOf(state.reply);
  const moment = Math.max(now, grant?.expiresAt ?? now, ...moments);
  return moment > now ? moment : null;
}
