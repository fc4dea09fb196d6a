import type { Logger } from '@parley/process-kit';
import { backoffMs, type pause } from '@parley/processing';
import type { VoicePlatform } from '@parley/providers';

interface Parts {
  readonly closing: AbortSignal;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly pause: typeof pause;
  readonly platform: Pick<VoicePlatform, 'keepAgent'>;
}

const soonMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Sends inbound calls to the configured agent when a process starts, as its name may have changed; repeated until the
 * platform answers. A stack that starts may have this process before the platform: the first time is not told.
 */
export async function keepAgent({ closing, logger, pause, platform }: Parts): Promise<void> {
  for (let failures = 1; !closing.aborted; failures += 1) {
    const kept = await platform.keepAgent();
    if (kept.kind === 'ok') {
      if (failures > 2) logger.info('inbound calls go to the right agent');
      return;
    }
    if (failures > 1)
      logger.warn(
        { reason: kept.message },
        'it is not known yet whether inbound calls go to the right agent',
      );
    await pause(backoffMs(failures, soonMs, longestPauseMs), closing);
  }
}
