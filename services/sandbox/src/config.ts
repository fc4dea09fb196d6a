import { databaseUrl, port, processConfig, secret } from '@parley/process-kit';
import { z } from 'zod';

/** The defaults of the credentials work on this machine only; the adapters of the services have the same defaults. */
export const sandboxConfig = processConfig.extend({
  HOST: z.string().default('127.0.0.1'),
  SANDBOX_PORT: port(3900),
  DATABASE_URL: databaseUrl(),
  /** Prefix of the databases of the stack's services. Stacks that share a server have a sandbox database each. */
  DATABASE_PREFIX: z.string().default('parley'),
  /** Name of the sandbox's database, created when it is missing; `<prefix>_sandbox` when absent. */
  SANDBOX_DATABASE: z.string().optional(),
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
  WHATSAPP_ACCESS_TOKEN: secret('sandbox-whatsapp-token'),
  WHATSAPP_APP_SECRET: secret('sandbox-whatsapp-app-secret'),
  WHATSAPP_BUSINESS_ID: z.string().default('100000000000001'),
  OPENAI_API_KEY: secret('sandbox-openai-key'),
  TWILIO_ACCOUNT_SID: z.string().default('AC00000000000000000000000000000000'),
  TWILIO_AUTH_TOKEN: secret('sandbox-twilio-token'),
  STRIPE_API_KEY: secret('sk_test_sandbox'),
  STRIPE_WEBHOOK_SECRET: secret('whsec_sandbox'),
  LIVEKIT_API_KEY: z.string().default('sandbox-livekit'),
  LIVEKIT_API_SECRET: secret('sandbox-livekit-secret-of-32-characters'),
});
export type SandboxConfig = z.output<typeof sandboxConfig>;

export const databaseOf = ({ DATABASE_PREFIX, SANDBOX_DATABASE }: SandboxConfig): string =>
  SANDBOX_DATABASE ?? `${DATABASE_PREFIX}_sandbox`;
