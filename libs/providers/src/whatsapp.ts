export { readWhatsAppCallback } from './whatsapp/callback.ts';
export { whatsAppConfig } from './whatsapp/config.ts';
export { isSignedBy } from './whatsapp/signature.ts';
export { createWhatsApp } from './whatsapp/whatsapp.ts';
