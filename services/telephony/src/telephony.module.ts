import { Module } from '@nestjs/common';
import { Aggregates } from '@parley/event-store';
import { CLOSING, CONFIG, LOGGER } from '@parley/service-kit';
import { CallController } from './call/call.controller.ts';
import { callProviders } from './call/call-providers.ts';
import { VoiceCallbackController } from './call/callback/voice-callback.controller.ts';
import type { TelephonyConfig } from './config.ts';
import { NumberController } from './number/number.controller.ts';
import { NumberWork } from './number/purchase/number-work.ts';
import { ProviderSteps } from './number/purchase/provider-steps.ts';
import { PurchaseRequests } from './number/purchase/purchase-requests.ts';
import { NumberSearchController } from './number/search.controller.ts';
import { PaymentMethodController } from './payment-method/payment-method.controller.ts';
import { PaymentMethods } from './payment-method/payment-methods.ts';
import { PaymentCallbackController } from './payments/payment-callback.controller.ts';
import { CARRIER, createCarrier, createPayments, PAYMENTS } from './payments/providers.ts';
import { SipTrunkController } from './sip-trunk/sip-trunk.controller.ts';
import { SmsController } from './sms/sms.controller.ts';
import { SmsCallbackController } from './sms/sms-callback.controller.ts';
import { smsProviders } from './sms/sms-providers.ts';
import { InboundLines } from './voice/inbound-lines.ts';
import { createVoicePlatform, VOICE_PLATFORM } from './voice/voice-platform.ts';

@Module({
  controllers: [
    NumberController,
    NumberSearchController,
    PaymentMethodController,
    PaymentCallbackController,
    SipTrunkController,
    CallController,
    VoiceCallbackController,
    SmsController,
    SmsCallbackController,
  ],
  providers: [
    ...callProviders,
    ...smsProviders,
    PaymentMethods,
    PurchaseRequests,
    { provide: CARRIER, inject: [CONFIG], useFactory: createCarrier },
    { provide: VOICE_PLATFORM, inject: [CONFIG], useFactory: createVoicePlatform },
    { provide: PAYMENTS, inject: [CONFIG], useFactory: createPayments },
    {
      provide: NumberWork,
      inject: [Aggregates, CARRIER, PAYMENTS, PaymentMethods, VOICE_PLATFORM, CONFIG, LOGGER, CLOSING],
      useFactory: (
        aggregates: Aggregates,
        carrier: ReturnType<typeof createCarrier>,
        payments: ReturnType<typeof createPayments>,
        methods: PaymentMethods,
        platform: ReturnType<typeof createVoicePlatform>,
        config: TelephonyConfig,
        logger: ConstructorParameters<typeof NumberWork>[2],
        closing: AbortSignal,
      ) => {
        const lines = new InboundLines(platform, config.CARRIER_SIP_ALLOWED_IPS);
        const steps = new ProviderSteps(carrier, payments, methods, lines, config);
        return new NumberWork(aggregates, steps, logger, closing);
      },
    },
  ],
})
export class TelephonyModule {}
