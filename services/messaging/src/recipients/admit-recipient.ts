import { type Rejection, reject } from '@parley/contracts';

/** What a sender's last 24 hours mean for one more message. */
export interface RecentRecipients {
  /** Number of different recipients. */
  readonly used: number;
  /** Whether the message's recipient is one of them, so that it takes no further place. */
  readonly isAmongThem: boolean;
}

/**
 * The refusal of a message that the messaging limit has no room for; null when it has. A `limit` of null is unlimited
 * (service-api, section 8).
 */
export const refusalByLimit = (
  limit: number | null,
  { used, isAmongThem }: RecentRecipients,
): Rejection | null =>
  limit === null || isAmongThem || used < limit
    ? null
    : reject('messaging_limit_reached', {
        message: `The sender has reached its limit of ${limit} unique recipients in 24 hours.`,
        details: { limit, used },
      });
