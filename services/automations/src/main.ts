import { runService } from '@parley/service-kit';
import { automationsService } from './automations-service.ts';

await runService(automationsService);
