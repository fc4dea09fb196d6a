import { whatsAppConfig } from '@parley/providers/whatsapp';
import { serviceConfig } from '@parley/service-kit';
import { z } from 'zod';
import { languageModelConfig } from './ai-reply/config.ts';
import { callPermissionConfig } from './call-permission/config.ts';
import { priceConfig } from './message/draft/prices.ts';

/** Every key of the service's environment; the defaults work with the sandbox on this machine. */
export const messagingConfig = serviceConfig.extend({
  ...whatsAppConfig.shape,
  ...priceConfig.shape,
  ...languageModelConfig.shape,
  ...callPermissionConfig.shape,
  /**
   * URL of the sandbox, the stand-in for the outside world: the base URL of each provider that is given none of its
   * own.
   */
  SANDBOX_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3900'),
});

export type MessagingConfig = z.output<typeof messagingConfig>;
