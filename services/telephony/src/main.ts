import { runService } from '@parley/service-kit';
import { telephonyService } from './telephony-service.ts';

await runService(telephonyService);
