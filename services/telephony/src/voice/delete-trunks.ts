import type { PlatformTrunk, ProviderFailure, TrunkDirection, VoicePlatform } from '@parley/providers';

/**
 * Whatever the platform has under the reference but `keep`, also what nobody has an answer about; `null` when it is gone.
 * May be repeated.
 */
export async function deleteTrunks(
  platform: Pick<VoicePlatform, 'findTrunks' | 'deleteTrunk'>,
  direction: TrunkDirection,
  wanted: Pick<PlatformTrunk, 'reference' | 'number'>,
  keep?: string,
): Promise<ProviderFailure | null> {
  const found = await platform.findTrunks(direction, wanted);
  if (found.kind !== 'ok') return found;
  for (const id of found.value) {
    if (id === keep) continue;
    const deleted = await platform.deleteTrunk(id);
    if (deleted.kind !== 'ok') return deleted;
  }
  return null;
}
