import { BalanceReserved } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { silenceMs, type TimerHandler } from '@parley/processing';
import { asService, type StandingTimers } from '@parley/service-kit';
import { z } from 'zod';
import { balance } from './balance.ts';
import type { Ledger } from './ledger.ts';
import { release } from './release.ts';

/** The kind of the timer of each hold that was open when its account came from another installation. */
export const importedHoldKind = 'imported-hold';

const payloadSchema = z.object({ account_id: z.int(), hold_id: z.string() });

/**
 * Whoever made such a hold may not be here: of a message that was only being prepared, and of what began after its
 * service's part of the export, nothing comes. By then calls are over, and providers do not tell of messages any more.
 */
export const importedHolds = (aggregates: Aggregates): StandingTimers => ({
  types: [BalanceReserved.type],
  async of({ accountId, streamId }) {
    const { state } = await aggregates.load(streamId, balance);
    return [...state.holds.keys()].map((holdId) => ({
      id: `${importedHoldKind}:${holdId}`,
      kind: importedHoldKind,
      due: { afterMs: silenceMs },
      payload: { account_id: accountId, hold_id: holdId },
    }));
  },
});

/** A hold that was settled meanwhile is left as it is. */
export const releaseImportedHold =
  (ledger: Ledger): TimerHandler =>
  async ({ payload }, { metadata: { correlationId } }) => {
    const { account_id: accountId, hold_id: holdId } = payloadSchema.parse(payload);
    const result = await ledger.moveHold(
      asService('accounts', accountId, correlationId),
      { accountId, holdId, action: 'release' },
      (state, { wasReserved }) => release(state, holdId, wasReserved),
    );
    if (result.kind === 'rejected' && result.rejection.code !== 'hold_settled')
      throw new ServiceUnavailable(`The hold was not released: ${result.rejection.code}`);
    return undefined;
  };
