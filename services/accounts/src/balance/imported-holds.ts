import { BalanceReserved } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { silenceMs, type TimerHandler } from '@parley/processing';
import { asService, type StandingTimers } from '@parley/service-kit';
import { z } from 'zod';
import { balance } from './balance.ts';
import type { Ledger } from './ledger.ts';
import { release } from './release.ts';

/** Kind of the timers that release holds which were open when their account was imported. */
export const importedHoldKind = 'imported-hold';

const payloadSchema = z.object({ account_id: z.int(), hold_id: z.string() });

/**
 * A timer for each hold that is open in an imported ledger, due after `silenceMs`. The process that made the hold
 * may not have been imported (a message in preparation, or what began after its service was exported), so nobody
 * else would settle it. By then calls are over and providers report no more on messages.
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

/**
 * Handler of these timers: releases the hold; one that is settled stays as it is. Any other rejection throws
 * `ServiceUnavailable`, so that the timer is tried again.
 */
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
