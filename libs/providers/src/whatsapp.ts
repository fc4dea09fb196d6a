export { readWhatsAppCallback } from './whatsapp/callback.ts';
export { unsetWhatsAppKeys, type WhatsAppConfig, whatsAppConfig } from './whatsapp/config.ts';
export { isSignedBy } from './whatsapp/signature.ts';
export { createWhatsApp, type WhatsAppOptions } from './whatsapp/whatsapp.ts';
