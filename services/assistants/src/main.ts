import { runService } from '@parley/service-kit';
import { assistantsService } from './assistants-service.ts';

await runService(assistantsService);
