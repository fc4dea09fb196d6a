import type { BusReply } from '@parley/message-bus';
import type { Caller } from '../edge/caller.ts';

/** A query asked for whoever had the key last time, while the key is looked up. */
export interface EarlyQuery {
  readonly askedFor: Caller;
  readonly answer: Promise<BusReply>;
}

/** Its answer is for the caller it was asked for and nobody else. */
export const isFor = ({ askedFor }: EarlyQuery, caller: Caller): boolean =>
  askedFor.accountId === caller.accountId && askedFor.apiKeyId === caller.apiKeyId;
