import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@parley/process-kit';

/** Nest's own words in the service's log: its start-up chatter at debug level. */
export const nestLogger = (logger: Logger): LoggerService => ({
  log: (message: unknown, context?: unknown) => logger.debug({ context }, String(message)),
  debug: (message: unknown, context?: unknown) => logger.debug({ context }, String(message)),
  verbose: (message: unknown, context?: unknown) => logger.trace({ context }, String(message)),
  warn: (message: unknown, context?: unknown) => logger.warn({ context }, String(message)),
  error: (message: unknown, ...details: unknown[]) =>
    message instanceof Error
      ? logger.error({ err: message }, message.message)
      : logger.error({ details }, String(message)),
  fatal: (message: unknown, ...details: unknown[]) => logger.fatal({ details }, String(message)),
});
