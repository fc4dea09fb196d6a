import type { WhatsAppCredentials } from './chat/whatsapp.ts';
import type { SandboxConfig } from './config.ts';
import type { OpenAiCredentials } from './llm/openai.ts';

/** What each provider expects of its callers, and signs its callbacks with. */
export interface Credentials {
  readonly whatsApp: WhatsAppCredentials;
  readonly openAi: OpenAiCredentials;
}

export const credentialsOf = (config: SandboxConfig): Credentials => ({
  whatsApp: {
    accessToken: config.WHATSAPP_ACCESS_TOKEN.reveal(),
    appSecret: config.WHATSAPP_APP_SECRET.reveal(),
    businessId: config.WHATSAPP_BUSINESS_ID,
  },
  openAi: { apiKey: config.OPENAI_API_KEY.reveal() },
});
