import { createLogger, loadConfigOrExit, runProcess } from '@parley/process-kit';
import { refusingSandboxDefaults, serviceConfig } from '../config.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { startService } from './start-service.ts';

/**
 * A service's `main`: reads the configuration from the environment, starts, tells a parent process that it is ready,
 * drains on SIGTERM or the parent's death. Ends the process with status 1 when it cannot start.
 */
export async function runService(definition: ServiceDefinition): Promise<void> {
  const config = loadConfigOrExit(refusingSandboxDefaults(definition.config ?? serviceConfig));
  const logger = createLogger({ service: definition.name, level: config.LOG_LEVEL });
  await runProcess({
    logger,
    start: (onProgress) => startService(definition, config, logger, onProgress),
  });
}
