import type { PlatformTrunk, ProviderFailure, TrunkDirection, VoicePlatform } from '@parley/providers';

/**
 * Deletes all of the platform's trunks with the reference except `keep`, also those that were made without an answer;
 * `null` when that is done. May be repeated.
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
