import type { Logger } from '@parley/process-kit';
import { isOutage } from '@parley/processing';

/** What fails beside any request: an outage is waited for, and is a warning; all else is a fault of ours. */
export const tellOfBackground =
  (logger: Logger, sentence: string) =>
  (error: unknown): void => {
    const isAway = isOutage(error) || (error instanceof Error && isOutage(error.cause));
    logger[isAway ? 'warn' : 'error']({ err: error }, sentence);
  };
