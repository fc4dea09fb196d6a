import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { type TelephonyConfig, telephonyConfig } from './config.ts';
import { describeNumberEvent } from './number/describe.ts';
import { phoneNumber } from './number/number.ts';
import { numberBackground } from './number/number-background.ts';
import { paymentMethod } from './payment-method/payment-method.ts';
import { sipTrunk } from './sip-trunk/sip-trunk.ts';
import { sipTrunkTimers } from './sip-trunk/sip-trunk-timers.ts';
import { TelephonyModule } from './telephony.module.ts';
import { numbersView } from './views/numbers-view.ts';
import { sipTrunksView } from './views/sip-trunks-view.ts';

/** Phone numbers and what they cost, SIP trunks, calls. */
export const telephonyService: ServiceDefinition<TelephonyConfig> = {
  name: 'telephony',
  module: TelephonyModule,
  config: telephonyConfig,
  projections: [numbersView, sipTrunksView],
  resources: [
    defineResource({
      name: 'number',
      streamOf: numberedStream('number'),
      fold: phoneNumber,
      describe: describeNumberEvent,
    }),
    defineResource({
      name: 'payment-method',
      streamOf: numberedStream('payment-method'),
      fold: paymentMethod,
    }),
    defineResource({ name: 'sip-trunk', streamOf: numberedStream('sip-trunk'), fold: sipTrunk }),
  ],
  background(parts) {
    const numbers = numberBackground(parts);
    return { timers: { ...numbers.timers, ...sipTrunkTimers(parts) }, close: numbers.close };
  },
};
