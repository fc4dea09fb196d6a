import { NumberPurchased, NumberPurchaseUndone, NumberReleased } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { ProviderFailure } from '@parley/providers';
import { callsCheck } from '../../sip-trunk/trunk-check.ts';
import type { findInboundTrunks } from '../../views/sip-trunk-queries.ts';
import type { InboundLines } from '../../voice/inbound-lines.ts';
import { lineOf, numberCategory, type OneNumber, phoneNumber } from '../number.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly lines: Pick<InboundLines, 'open' | 'close'>;
  /** SIP trunks of customers by which calls to the number came in, as far as is on record. */
  readonly inboundTrunks: (number: string) => ReturnType<typeof findInboundTrunks>;
}

/**
 * Reactor: opens missing inbound lines. A purchase opens its number's line itself, and a release closes it; this is for
 * numbers bought before lines were needed, and for imported ones, which may be released meanwhile, or whose release may
 * be imported later. SIP trunks that have lost the calls to the number, also to a purchase that was undone, then look
 * for their calls.
 */
export const openLines = ({ aggregates, lines, inboundTrunks }: Parts): Reactor =>
  defineReactor({
    name: 'inbound-lines',
    handles: [NumberPurchased.type, NumberPurchaseUndone.type, NumberReleased.type],
    laneOf: byAccount,
    actsOnImported: true,
    async react({ streamId, accountId }, { metadata }) {
      const number = await keepLine({ aggregates, lines }, streamId);
      if (!number) return undefined;
      const trunks = await inboundTrunks(number.phoneNumber);
      if (trunks.length === 0) return undefined;
      const check = ({ id, account_id }: (typeof trunks)[number]) =>
        callsCheck({ id, accountId: account_id, number: number.phoneNumber }, metadata.correlationId);
      const about = { streamId, category: numberCategory, accountId, metadata };
      return { ...about, events: [], expectedVersion: 'any', timers: trunks.map(check) };
    },
  });

/**
 * Opens the line of a number that somebody owns, and closes that of any other. Returns the number; null when there is
 * none.
 */
export async function keepLine(
  { aggregates, lines }: Pick<Parts, 'aggregates' | 'lines'>,
  streamId: string,
): Promise<OneNumber | null> {
  const load = async () => (await aggregates.load(streamId, phoneNumber)).state;
  const number = await load();
  if (!number) return null;
  if (number.phase === 'owned') mustHaveWorked(await lines.open(lineOf(number)));
  // A release may have closed the line before it was opened here.
  if ((await load())?.phase !== 'owned') mustHaveWorked(await lines.close(lineOf(number)));
  return number;
}

function mustHaveWorked(failure: ProviderFailure | null): void {
  if (failure)
    throw failure.kind === 'rejected' ? new Error(failure.message) : new ServiceUnavailable(failure.message);
}
