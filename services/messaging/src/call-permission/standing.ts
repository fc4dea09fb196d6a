import type { Ask, CallPermission, Reply } from './call-permission.ts';

/** All figures of call permission (service-api, sections 7 and 8; decisions, section 2), in milliseconds. */
export interface PermissionTerms {
  /** Shortest window first. */
  readonly limits: readonly AskLimit[];
  /** How long the customer's own last message keeps the session open. */
  readonly sessionMs: number;
  /** A temporary permission whose end the chat platform does not tell. */
  readonly temporaryGrantMs: number;
  /** ISO 3166-1 alpha-2 codes of senders that may not call customers. */
  readonly countriesWithoutCalls: readonly string[];
}

export interface AskLimit {
  readonly window: '24h' | '7d';
  readonly windowMs: number;
  readonly max: number;
  /** What `REQUEST_LIMIT` calls it. */
  readonly reason: 'already_asked_24h' | 'weekly_cap';
}

export type PermissionStatus = 'pending' | 'granted' | 'rejected' | 'revoked' | 'expired';

/** `expiresAt`: milliseconds since 1970; infinite for a permanent permission. */
export function grantOf(reply: Reply | null): { readonly reply: Reply; readonly expiresAt: number } | null {
  if (reply?.response !== 'accept') return null;
  return {
    reply,
    expiresAt: reply.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(reply.expiresAt),
  };
}

export const isGranted = ({ reply }: CallPermission, now: number): boolean =>
  (grantOf(reply)?.expiresAt ?? Number.NEGATIVE_INFINITY) > now;

/** `null` while the customer was neither asked nor ever said anything. */
export function statusOf(state: CallPermission, now: number): PermissionStatus | null {
  const { reply } = state;
  if (isGranted(state, now)) return 'granted';
  const lastAsk = state.asks.at(-1);
  if (lastAsk && (!reply || Date.parse(reply.at) < wholeSecond(lastAsk.at))) return 'pending';
  return reply && statusAfter[reply.response];
}

/** What an answer that no longer allows calls comes to. */
const statusAfter = { accept: 'expired', reject: 'rejected', revoke: 'revoked' } as const;

/** The chat platform tells times in whole seconds: an answer within the second of the ask is an answer to it. */
const wholeSecond = (at: string): number => Math.floor(Date.parse(at) / 1000) * 1000;

/** When the session closes; `null` when the customer never wrote. */
export const sessionEndOf = (
  { lastMessage }: CallPermission,
  { sessionMs }: PermissionTerms,
): number | null => lastMessage && Date.parse(lastMessage.at) + sessionMs;

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

/** When a full limit has room for one more; `null` while it has. */
export function limitFreesAt(state: CallPermission, limit: AskLimit, now: number): number | null {
  const counted = countedAsks(state, limit, now);
  const freeing = counted[counted.length - limit.max];
  return freeing ? Date.parse(freeing.at) + limit.windowMs : null;
}

/**
 * When neither a limit nor a permission stands against an ask any more: `null` when that is now, infinite when it takes
 * more than time.
 */
export function askableAt(state: CallPermission, terms: PermissionTerms, now: number): number | null {
  const moments = terms.limits.map((limit) => limitFreesAt(state, limit, now) ?? now);
  const grant = grantOf(state.reply);
  const moment = Math.max(now, grant?.expiresAt ?? now, ...moments);
  return moment > now ? moment : null;
}
