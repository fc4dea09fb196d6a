import { runService } from '@parley/service-kit';
import { messagingService } from './messaging-service.ts';

await runService(messagingService);
