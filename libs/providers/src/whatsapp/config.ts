import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/** Keys of a process that talks to the WhatsApp Cloud API; the defaults are those of the sandbox on this machine. */
export const whatsAppConfig = z.object({
  /** `https://graph.facebook.com` in production; the sandbox when absent. */
  WHATSAPP_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  /** From v24.0 on: earlier ones do not tell how many recipients a number may write to. */
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v(2[4-9]|[3-9]\d)\.\d+$/)
    .default('v25.0'),
  WHATSAPP_ACCESS_TOKEN: sandboxOnly(secret('sandbox-whatsapp-token')),
  /** Signs the platform's callbacks. */
  WHATSAPP_APP_SECRET: sandboxOnly(secret('sandbox-whatsapp-app-secret')),
  /** What Meta is told when the callback URL is entered there; it says it back once. */
  WHATSAPP_VERIFY_TOKEN: sandboxOnly(secret('sandbox-whatsapp-verify-token')),
  /** The business portfolio that owns the accounts of all senders. */
  WHATSAPP_BUSINESS_ID: sandboxOnly(z.string().regex(/^\d+$/).default('100000000000001')),
});
