import type { Aggregates } from '@parley/event-store';
import type { ProviderFailure } from '@parley/providers';
import type { PasswordStore } from './password-store.ts';
import type { PlatformTrunks } from './platform-trunks.ts';
import { sipTrunk, sipTrunkStream } from './sip-trunk.ts';

export interface ReconcileParts {
  readonly aggregates: Aggregates;
  readonly passwords: PasswordStore;
  readonly platform: PlatformTrunks;
}

/**
 * Makes the voice platform have what the log says of a trunk, and nothing else of it; `null` when it has, as far as that
 * can be said: one whose password is not here stays there as it is, and what the platform has lost is not made before the
 * next change, which puts its new ids on record. May be repeated.
 */
export async function reconcileTrunk(
  { aggregates, passwords, platform }: ReconcileParts,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<ProviderFailure | null> {
  const { state } = await aggregates.load(sipTrunkStream(id), sipTrunk);
  if (state) {
    const password = await passwords.find(id, state.password_at);
    const failure = password && (await platform.replaceKnown(state, { id, settings: state, password }));
    if (failure) return failure;
    for (const one of new Set([state.phone_number, number])) {
      const left = await platform.remove(id, one, state);
      if (left) return left;
    }
    return null;
  }
  const failure = await platform.remove(id, number);
  if (!failure) await passwords.delete(id);
  return failure;
}
