import type { BusReply } from '@parley/message-bus';
import type { Caller } from '../edge/caller/caller.ts';

/** A query that was sent for the last known owner of the key while the key is still being looked up. */
export interface EarlyQuery {
  readonly askedFor: Caller;
  readonly answer: Promise<BusReply>;
}

/** Whether the query was sent for this caller; its answer must go to nobody else. */
export const isFor = ({ askedFor }: EarlyQuery, caller: Caller): boolean =>
  askedFor.accountId === caller.accountId && askedFor.apiKeyId === caller.apiKeyId;
