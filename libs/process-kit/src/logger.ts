import { type Logger, pino } from 'pino';

export type { Logger };

/** Logs why there is no connection to NATS yet, for processes that wait for one. */
export const warnOfWaiting =
  (logger: Pick<Logger, 'warn'>) =>
  (error: unknown): void =>
    logger.warn({ err: error }, 'no connection to NATS yet; trying again');

/** JSON lines on stdout, `service` on each. What must never be read in a log is censored by its key. */
export const createLogger = (options: { readonly service: string; readonly level: string }): Logger =>
  pino({
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['authorization', '*.authorization', 'token', '*.token', 'password', '*.password'],
      censor: '[secret]',
    },
  });
