import type { ChatPlatform } from '@parley/providers';
import { createWhatsApp } from '@parley/providers/whatsapp';
import type { MessagingConfig } from '../config.ts';

/** Injection token of the `ChatPlatform`. */
export const CHAT_PLATFORM = Symbol('ChatPlatform');

export const createChatPlatform = (config: MessagingConfig): ChatPlatform =>
  createWhatsApp({
    baseUrl: config.WHATSAPP_BASE_URL ?? config.SANDBOX_URL,
    apiVersion: config.WHATSAPP_API_VERSION,
    accessToken: config.WHATSAPP_ACCESS_TOKEN,
    businessId: config.WHATSAPP_BUSINESS_ID,
  });
