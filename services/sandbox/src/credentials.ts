import type { TwilioCredentials } from './carrier/twilio.ts';
import type { WhatsAppCredentials } from './chat/whatsapp.ts';
import type { SandboxConfig } from './config.ts';
import type { OpenAiCredentials } from './llm/openai.ts';
import type { StripeCredentials } from './payments/stripe.ts';
import type { LiveKitCredentials } from './voice/livekit.ts';

/** What each provider expects of its callers, and signs its callbacks with. */
export interface Credentials {
  readonly whatsApp: WhatsAppCredentials;
  readonly openAi: OpenAiCredentials;
  readonly twilio: TwilioCredentials;
  readonly stripe: StripeCredentials;
  readonly liveKit: LiveKitCredentials;
}

export const credentialsOf = (config: SandboxConfig): Credentials => ({
  whatsApp: {
    accessToken: config.WHATSAPP_ACCESS_TOKEN.reveal(),
    appSecret: config.WHATSAPP_APP_SECRET.reveal(),
    businessId: config.WHATSAPP_BUSINESS_ID,
  },
  twilio: { accountSid: config.TWILIO_ACCOUNT_SID, authToken: config.TWILIO_AUTH_TOKEN.reveal() },
  stripe: {
    apiKey: config.STRIPE_API_KEY.reveal(),
    webhookSecret: config.STRIPE_WEBHOOK_SECRET.reveal(),
  },
  liveKit: { apiKey: config.LIVEKIT_API_KEY, apiSecret: config.LIVEKIT_API_SECRET.reveal() },
  openAi: { apiKey: config.OPENAI_API_KEY.reveal() },
});
