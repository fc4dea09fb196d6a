import type { Aggregates } from '@parley/event-store';
import type { ProviderResult } from '@parley/providers';
import type { PasswordStore } from './password-store.ts';
import type { PlatformTrunks } from './platform-trunks.ts';
import { nothingInbound, sipTrunk, sipTrunkStream } from './sip-trunk.ts';

export interface ReconcileParts {
  readonly aggregates: Aggregates;
  readonly passwords: PasswordStore;
  readonly platform: PlatformTrunks;
}

/**
 * Makes the voice platform have of a trunk what the log has, and nothing else. Exceptions: without its password the
 * trunk stays there as it is; and what the platform has lost is made again only by the next change, which records the
 * new ids. `isWaiting`: calls to the number come in by another trunk. May be repeated.
 */
export async function reconcileTrunk(
  { aggregates, passwords, platform }: ReconcileParts,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<ProviderResult<{ readonly isWaiting: boolean }>> {
  const { state } = await aggregates.load(sipTrunkStream(id), sipTrunk);
  if (!state) {
    const failure = await platform.remove(id, number);
    if (failure) return failure;
    await passwords.delete(id);
    return { kind: 'ok', value: { isWaiting: false } };
  }
  const password = await passwords.find(id, state.password_at);
  const displaced = password
    ? await platform.replaceKnown(state, { id, settings: state, password })
    : ({ kind: 'ok', value: false } as const);
  if (displaced.kind !== 'ok') return displaced;
  for (const one of new Set([state.phone_number, number])) {
    const left = await platform.remove(id, one, state);
    if (left) return left;
  }
  return { kind: 'ok', value: { isWaiting: displaced.value || state.inbound_trunk_id === nothingInbound } };
}
