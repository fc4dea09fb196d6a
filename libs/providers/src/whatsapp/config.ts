import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandbox = {
  WHATSAPP_ACCESS_TOKEN: 'sandbox-whatsapp-token',
  WHATSAPP_APP_SECRET: 'sandbox-whatsapp-app-secret',
  WHATSAPP_VERIFY_TOKEN: 'sandbox-whatsapp-verify-token',
} as const;
const sandboxBusiness = '100000000000001';
const secretNames = ['WHATSAPP_ACCESS_TOKEN', 'WHATSAPP_APP_SECRET', 'WHATSAPP_VERIFY_TOKEN'] as const;

/** Keys of a process that talks to the WhatsApp Cloud API; the defaults are those of the sandbox on this machine. */
export const whatsAppConfig = z.object({
  /** `https://graph.facebook.com` in production; the sandbox when absent. */
  WHATSAPP_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** From v24.0 on: earlier ones do not tell how many recipients a number may write to. */
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v(2[4-9]|[3-9]\d)\.\d+$/)
    .default('v25.0'),
  WHATSAPP_ACCESS_TOKEN: secret(sandbox.WHATSAPP_ACCESS_TOKEN),
  /** Signs the platform's callbacks. */
  WHATSAPP_APP_SECRET: secret(sandbox.WHATSAPP_APP_SECRET),
  /** What Meta is told when the callback URL is entered there; it says it back once. */
  WHATSAPP_VERIFY_TOKEN: secret(sandbox.WHATSAPP_VERIFY_TOKEN),
  /** The business portfolio that owns the accounts of all senders. */
  WHATSAPP_BUSINESS_ID: z.string().regex(/^\d+$/).default(sandboxBusiness),
});

export type WhatsAppConfig = z.output<typeof whatsAppConfig>;

/** The keys without which only a sandbox can be talked to, or whose values everybody knows, because they were not set. */
export const unsetWhatsAppKeys = (config: WhatsAppConfig): readonly (keyof WhatsAppConfig)[] => [
  ...(config.WHATSAPP_BASE_URL === undefined ? (['WHATSAPP_BASE_URL'] as const) : []),
  ...(config.WHATSAPP_BUSINESS_ID === sandboxBusiness ? (['WHATSAPP_BUSINESS_ID'] as const) : []),
  ...secretNames.filter((name) => config[name].reveal() === sandbox[name]),
];
