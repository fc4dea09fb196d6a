import type { SqlExecutor } from '@parley/event-store';
import { countryOf } from '@parley/phone-numbers';
import { findNumbersByPhone } from '../../views/number-queries.ts';
import { findTrunkOfPlatform } from '../../views/sip-trunk-queries.ts';
import type { CallArrivedData } from '../decisions.ts';
import type { CallLookups } from '../other-services.ts';

type Direction = CallArrivedData['direction'];

/** The account that our side of a call belongs to, the assistant that speaks for it, and the call's direction. */
export type OurSide = Pick<
  CallArrivedData,
  'channel' | 'direction' | 'assistant_id' | 'phone_number_id' | 'sender_id' | 'max_duration_s'
> & {
  readonly accountId: number;
  /** ISO 3166-1 alpha-2: the country whose way of dialing the caller's number may be written in. */
  readonly country: string;
};

interface OwnedNumber {
  readonly id: number;
  readonly account_id: number;
  readonly country_code: string;
}

/** Seconds, for a call that no assistant takes: the longest that an assistant's calls may be set to. */
const defaultMaxDurationS = 1_200;

/**
 * Finds the account of our number: the one that bought it, else that of the trunk that the call came by, else that of
 * the chat-app sender, else that of a trunk with the number. `null` when it is nobody's; `ambiguous` when several
 * trunks have the number and the call does not tell which it came by. Any account may enter any number for its trunk:
 * that must not give it the calls to a bought number or to another account's sender.
 */
export async function findOurSide(
  sql: SqlExecutor,
  lookups: CallLookups,
  {
    phone,
    calledAt,
    trunkId,
    direction,
    correlationId,
  }: {
    readonly phone: string;
    /** ISO 8601 */
    readonly calledAt: string;
    readonly trunkId: string | null;
    /** Counts where the trunk does not tell it. */
    readonly direction: Direction;
    readonly correlationId: string;
  },
): Promise<OurSide | 'ambiguous' | null> {
  const byTrunk = trunkId ? await findTrunkOfPlatform(sql, trunkId) : null;
  const known = await findNumbersByPhone(sql, { phone, calledAt });
  const certain = known.find(({ kind }) => kind === 'normal') ?? byTrunk;
  const side = { direction: byTrunk?.direction ?? direction, correlationId };
  if (certain) return ofNumber(lookups, certain, side);
  const sender = await lookups.senderOf(phone, calledAt, correlationId);
  const [number, other] = known.filter(({ account_id }) => !sender || account_id === sender.account_id);
  if (number && other) return 'ambiguous';
  if (number) return ofNumber(lookups, number, side);
  if (!sender) return null;
  return {
    accountId: sender.account_id,
    direction: side.direction,
    country: countryOf(phone) ?? '',
    channel: 'chatapp',
    assistant_id: sender.assistant_id,
    phone_number_id: null,
    sender_id: sender.id,
    max_duration_s: defaultMaxDurationS,
  };
}

async function ofNumber(
  lookups: CallLookups,
  number: OwnedNumber,
  { direction, correlationId }: { readonly direction: Direction; readonly correlationId: string },
): Promise<OurSide> {
  const assistant = await lookups.speaking(number.account_id, number.id, direction, correlationId);
  return {
    direction,
    accountId: number.account_id,
    country: number.country_code,
    channel: 'phone',
    assistant_id: assistant?.id ?? null,
    phone_number_id: number.id,
    sender_id: null,
    max_duration_s: assistant?.maxDurationS ?? defaultMaxDurationS,
  };
}
