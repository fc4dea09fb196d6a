import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { type TelephonyConfig, telephonyConfig } from './config.ts';
import { sipTrunk } from './sip-trunk/sip-trunk.ts';
import { sipTrunkTimers } from './sip-trunk/sip-trunk-timers.ts';
import { TelephonyModule } from './telephony.module.ts';
import { sipTrunksView } from './views/sip-trunks-view.ts';

/** Phone numbers and what they cost, SIP trunks, calls. */
export const telephonyService: ServiceDefinition<TelephonyConfig> = {
  name: 'telephony',
  module: TelephonyModule,
  config: telephonyConfig,
  projections: [sipTrunksView],
  resources: [defineResource({ name: 'sip-trunk', streamOf: numberedStream('sip-trunk'), fold: sipTrunk })],
  background(parts) {
    return { timers: { ...sipTrunkTimers(parts) } };
  },
};
