import { whatsAppConfig } from '@parley/providers/whatsapp';
import { serviceConfig } from '@parley/service-kit';
import type { z } from 'zod';
import { languageModelConfig } from './ai-reply/config.ts';
import { callPermissionConfig } from './call-permission/config.ts';
import { priceConfig } from './message/draft/prices.ts';

/** Every key of the service's environment; the defaults work with the sandbox on this machine. */
export const messagingConfig = serviceConfig.extend({
  ...whatsAppConfig.shape,
  ...priceConfig.shape,
  ...languageModelConfig.shape,
  ...callPermissionConfig.shape,
});

export type MessagingConfig = z.output<typeof messagingConfig>;
