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
 * Makes the voice platform have what the log says of a trunk; `null` when it has, as far as that can be said: one whose
 * password is not here stays there as it is. May be repeated.
 */
export async function reconcileTrunk(
  { aggregates, passwords, platform }: ReconcileParts,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<ProviderFailure | null> {
  const { state } = await aggregates.load(sipTrunkStream(id), sipTrunk);
  if (state) {
    const password = await passwords.find(id, state.password_at);
    if (!password) return null;
    const replaced = await platform.replace(state, { id, settings: state, password });
    return replaced.kind === 'ok' ? null : replaced;
  }
  const failure = await platform.remove(id, number);
  if (!failure) await passwords.delete(id);
  return failure;
}
