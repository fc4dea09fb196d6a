import { createLogger, loadConfigOrExit, runProcess } from '@parley/process-kit';
import { gatewayConfig } from './config.ts';
import { startGateway } from './start-gateway.ts';

const config = loadConfigOrExit(gatewayConfig);
const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
await runProcess({ logger, start: () => startGateway(config, logger) });
