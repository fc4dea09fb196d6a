import { Module } from '@nestjs/common';
import { CONFIG } from '@parley/service-kit';
import { CallController } from './call/call.controller.ts';
import { callProviders } from './call/call-providers.ts';
import { VoiceCallbackController } from './call/callback/voice-callback.controller.ts';
import { NumberController } from './number/number.controller.ts';
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
  ],
})
export class TelephonyModule {}
