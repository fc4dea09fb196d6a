import type { Aggregates } from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import { throughOutages } from '@parley/processing';
import type { VoiceConfig } from '../../voice/config.ts';
import type { InboundLines } from '../../voice/inbound-lines.ts';
import { numberStream } from '../number.ts';
import { keepLine } from './open-lines.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly closing: AbortSignal;
  readonly config: Pick<VoiceConfig, 'CARRIER_SIP_ALLOWED_IPS'>;
  readonly lines: Pick<InboundLines, 'open' | 'close'>;
  readonly logger: Pick<Logger, 'error'>;
  /** The ids of all bought numbers. */
  readonly numbers: () => Promise<readonly number[]>;
}

/**
 * Applies the configured addresses of the carrier to all lines when a process starts: lines from before accept calls
 * from the former addresses.
 */
export async function restrictLines(parts: Parts): Promise<void> {
  const { closing, config, logger, numbers } = parts;
  if (!config.CARRIER_SIP_ALLOWED_IPS) return;
  const report = (error: unknown, about: object): void => {
    if (!closing.aborted)
      logger.error({ err: error, ...about }, 'calls may come in from others than the carrier');
  };
  const ids = await throughOutages(closing, numbers).catch((error) => report(error, {}));
  for (const id of ids ?? []) {
    if (closing.aborted) return;
    const restrict = () => keepLine(parts, numberStream(id));
    await throughOutages(closing, restrict).catch((error) => report(error, { number: id }));
  }
}
