export { readWhatsAppCallback } from './whatsapp/callback.ts';
export { whatsAppConfig } from './whatsapp/config.ts';
export { isSignedBy } from './whatsapp/signature.ts';
export { createWhatsApp, type WhatsAppOptions } from './whatsapp/whatsapp.ts';
