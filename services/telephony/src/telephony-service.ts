import type { ServiceDefinition } from '@parley/service-kit';
import { type TelephonyConfig, telephonyConfig } from './config.ts';
import { TelephonyModule } from './telephony.module.ts';

/** Phone numbers and what they cost, SIP trunks, calls. */
export const telephonyService: ServiceDefinition<TelephonyConfig> = {
  name: 'telephony',
  module: TelephonyModule,
  config: telephonyConfig,
  projections: [],
  resources: [],
};
