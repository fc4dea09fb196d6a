export {
  ConfigError,
  databaseUrl,
  flag,
  keysLeftToSandbox,
  loadConfig,
  loadConfigOrExit,
  natsUrls,
  optionalPort,
  port,
  postgresUrl,
  processConfig,
  sandboxOnly,
  secret,
} from './config.ts';
export { parseForeignJson, readKeysAsWritten } from './foreign-json.ts';
export { giveMemoryBackWhenIdle } from './idle-memory.ts';
export { Keyring, keyring, newKey, SealBroken, SealKeyMissing } from './keyring.ts';
export { lazily } from './lazily.ts';
export { loadedLate } from './loaded-late.ts';
export { createLogger, type Logger, warnOfWaiting } from './logger.ts';
export { createMetricsRegistry } from './metrics.ts';
export { openNameless } from './nameless-file.ts';
export { parseJson } from './parse-json.ts';
export { type RunningProcess, runProcess } from './run-process.ts';
export { Secret } from './secret.ts';
export { losesAnyDigits, losesDigits, parseWithAllDigits } from './whole-numbers.ts';
