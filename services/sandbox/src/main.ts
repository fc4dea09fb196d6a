import { connectBusClient } from '@parley/message-bus';
import { createLogger, loadConfigOrExit, runProcess } from '@parley/process-kit';
import { databaseOf, sandboxConfig } from './config.ts';
import { credentialsOf } from './credentials.ts';
import { createDatabase } from './database/create-database.ts';
import { startSandbox } from './sandbox.ts';

const config = loadConfigOrExit(sandboxConfig);
const logger = createLogger({ service: 'sandbox', level: config.LOG_LEVEL });

await runProcess({
  logger,
  start: async () => {
    const databaseUrl = await createDatabase(config.DATABASE_URL.reveal(), databaseOf(config));
    const bus = await connectBusClient({ servers: config.NATS_URL, name: 'sandbox' });
    const sandbox = await startSandbox({
      databaseUrl,
      bus,
      gatewayUrl: config.GATEWAY_URL,
      credentials: credentialsOf(config),
      host: config.HOST,
      port: config.SANDBOX_PORT,
      onError: (error, note) => logger.error({ err: error }, note),
    });
    logger.info({ url: sandbox.url }, 'listening');
    return {
      close: async () => {
        await sandbox.close();
        await bus.close();
      },
    };
  },
});
