import type { Logger } from '@parley/process-kit';
import { isOutage } from '@parley/processing';
import type { DatabaseOutage } from './database-outage.ts';

/** What fails beside any request: an outage is waited for, and is a warning; all else is a fault of ours. */
export const tellOfBackground =
  (logger: Logger, outage: DatabaseOutage, sentence: string) =>
  (error: unknown): void => {
    const isAway = isOutage(error) || (error instanceof Error && isOutage(error.cause));
    if (isAway) outage.tell({ err: error }, sentence);
    else logger.error({ err: error }, sentence);
  };
