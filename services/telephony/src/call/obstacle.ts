import type { Aggregates } from '@parley/event-store';
import { isOutage } from '@parley/processing';
import { isStandIn } from '@parley/service-kit';
import { numberStream, phoneNumber } from '../number/number.ts';
import { isLive } from './call.ts';
import type { CallLog } from './call-log.ts';
import type { CallLookups } from './other-services.ts';
import type { PlacedCall } from './placed-call.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly log: CallLog;
  readonly lookups: Pick<CallLookups, 'assistant' | 'obstacleTo'>;
}

/**
 * Why a call that has waited is not to be dialed any more; null where nothing stands against it. As long as nobody can tell
 * it is dialed: one that was given up is hung up then.
 */
export const obstacleTo = (parts: Parts, placed: PlacedCall): Promise<string | null> =>
  findObstacle(parts, placed).catch((error: unknown) => {
    if (isOutage(error)) return null;
    throw error;
  });

async function findObstacle(parts: Parts, placed: PlacedCall): Promise<string | null> {
  const { lookups } = parts;
  const { accountId, data, metadata } = placed;
  if (await isGivenUp(parts, placed)) return 'The call was given up.';
  if (await isNumberGone(parts, placed)) return 'The number that the call was to come from is gone.';
  const { assistant_id: assistantId, lead_id: leadId } = data;
  const { correlationId } = metadata;
  if (assistantId !== null && !(await lookups.assistant(accountId, assistantId, correlationId)))
    return 'The assistant was deleted.';
  return leadId === null ? null : lookups.obstacleTo(accountId, leadId, correlationId);
}

/** Whether there is nobody to dial any more, also as the person was erased meanwhile. */
async function isGivenUp({ log }: Parts, { data }: PlacedCall): Promise<boolean> {
  const { state } = await log.load(data.call_id);
  return isLive(state) && (state.phase === 'ended' || isStandIn(state.customer_phone));
}

async function isNumberGone({ aggregates }: Parts, { data }: PlacedCall): Promise<boolean> {
  if (data.phone_number_id === null) return false;
  const { state } = await aggregates.load(numberStream(data.phone_number_id), phoneNumber);
  return state !== null && state.phase !== 'owned';
}
