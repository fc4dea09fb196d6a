import { updatePhoneNumber, updateSipTrunk } from '@parley/contracts';
import { pause } from '@parley/processing';
import { defineResource, numberedStream, revertBy, type ServiceDefinition } from '@parley/service-kit';
import { callCategory } from './call/call.ts';
import { callBackground } from './call/call-background.ts';
import { pastCall } from './call/past-call.ts';
import { type TelephonyConfig, telephonyConfig } from './config.ts';
import { describeNumberEvent } from './number/describe.ts';
import { phoneNumber } from './number/number.ts';
import { numberBackground } from './number/number-background.ts';
import { showNumber } from './number/show.ts';
import { paymentMethod, toCard } from './payment-method/payment-method.ts';
import { paymentMethodTimers } from './payment-method/payment-method-timers.ts';
import { shownTrunk, sipTrunk } from './sip-trunk/sip-trunk.ts';
import { sipTrunkTimers } from './sip-trunk/sip-trunk-timers.ts';
import { showSms } from './sms/show.ts';
import { sms, smsCategory } from './sms/sms.ts';
import { smsTimers } from './sms/sms-timers.ts';
import { TelephonyModule } from './telephony.module.ts';
import { callsView } from './views/calls-view.ts';
import { numbersView } from './views/numbers-view.ts';
import { sipTrunksView } from './views/sip-trunks-view.ts';
import { keepAgent } from './voice/keep-agent.ts';
import { createVoicePlatform } from './voice/voice-platform.ts';

/** Phone numbers and what they cost, SIP trunks, calls, SMS. */
export const telephonyService: ServiceDefinition<TelephonyConfig> = {
  name: 'telephony',
  module: TelephonyModule,
  config: telephonyConfig,
  projections: [numbersView, sipTrunksView, callsView],
  resources: [
    defineResource({
      name: 'number',
      streamOf: numberedStream('number'),
      fold: phoneNumber,
      show: showNumber,
      describe: describeNumberEvent,
      revert: revertBy(updatePhoneNumber),
    }),
    defineResource({
      name: 'payment-method',
      streamOf: numberedStream('payment-method'),
      isOnePerAccount: true,
      fold: paymentMethod,
      show: ({ card }) => card && toCard(card),
    }),
    defineResource({
      name: 'sip-trunk',
      streamOf: numberedStream('sip-trunk'),
      fold: sipTrunk,
      show: shownTrunk,
      revert: revertBy(updateSipTrunk),
    }),
    defineResource({ name: callCategory, streamOf: numberedStream(callCategory), fold: pastCall }),
    defineResource({
      name: smsCategory,
      streamOf: numberedStream(smsCategory),
      fold: sms,
      show: showSms,
    }),
  ],
  background(parts) {
    const numbers = numberBackground(parts);
    const calls = callBackground(parts);
    const agent = keepAgent({ ...parts, pause, platform: createVoicePlatform(parts.config) });
    return {
      provided: numbers.provided,
      reactors: [...numbers.reactors, ...calls.reactors],
      timers: {
        ...numbers.timers,
        ...paymentMethodTimers(parts),
        ...sipTrunkTimers(parts),
        ...calls.timers,
        ...smsTimers(parts),
      },
      standingTimers: [...numbers.standingTimers, ...calls.standingTimers],
      close: () => Promise.all([numbers.close(), agent]),
    };
  },
};
