import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/**
 * Environment keys of a process that talks to the WhatsApp Cloud API; the defaults are those of the sandbox on this
 * machine.
 */
export const whatsAppConfig = z.object({
  /** `https://graph.facebook.com` in production; the sandbox when absent. */
  WHATSAPP_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  /** At least v24.0: earlier versions do not tell a number's messaging limit. */
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v(2[4-9]|[3-9]\d)\.\d+$/)
    .default('v25.0'),
  WHATSAPP_ACCESS_TOKEN: sandboxOnly(secret('sandbox-whatsapp-token')),
  /** Secret with which the platform signs its callbacks. */
  WHATSAPP_APP_SECRET: sandboxOnly(secret('sandbox-whatsapp-app-secret')),
  /** Token that is entered at Meta together with the callback URL; Meta sends it once to verify the URL. */
  WHATSAPP_VERIFY_TOKEN: sandboxOnly(secret('sandbox-whatsapp-verify-token')),
  /** The business portfolio that owns the accounts of all senders. */
  WHATSAPP_BUSINESS_ID: sandboxOnly(z.string().regex(/^\d+$/).default('100000000000001')),
});
