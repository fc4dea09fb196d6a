import { runService } from '@parley/service-kit';
import { accountsService } from './accounts-service.ts';

await runService(accountsService);
