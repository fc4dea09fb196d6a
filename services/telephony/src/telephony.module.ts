import { Module } from '@nestjs/common';
import { CONFIG } from '@parley/service-kit';
import { NumberController } from './number/number.controller.ts';
import { SipTrunkController } from './sip-trunk/sip-trunk.controller.ts';
import { createVoicePlatform, VOICE_PLATFORM } from './voice/voice-platform.ts';

@Module({
  controllers: [NumberController, SipTrunkController],
  providers: [{ provide: VOICE_PLATFORM, inject: [CONFIG], useFactory: createVoicePlatform }],
})
export class TelephonyModule {}
