import { type Rejection, reject } from '@parley/contracts';

/** How a sender's last 24 hours look to one more message. */
export interface RecentRecipients {
  /** Different recipients in the window. */
  readonly used: number;
  /** Whether the recipient is one of them already: then the message takes no further place. */
  readonly isAmongThem: boolean;
}

/** `limit` null is unlimited (service-api, section 8). */
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
