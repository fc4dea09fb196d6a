import type { BusClient } from '@parley/message-bus';
import pg from 'pg';
import { Courier } from './callbacks/courier.ts';
import { twilioHook } from './carrier/sms-callback.ts';
import { twilio } from './carrier/twilio.ts';
import { whatsApp, whatsAppHook } from './chat/whatsapp.ts';
import { PlatformClock } from './clock/platform-clock.ts';
import { remindUntilHeard } from './clock/reminder.ts';
import { registerAccountControls } from './control/account-controls.ts';
import { registerChatControls } from './control/chat-controls.ts';
import { indexPage } from './control/index-page.ts';
import { registerSmsControls } from './control/sms-controls.ts';
import { registerVoiceControls } from './control/voice-controls.ts';
import { registerWorldControls } from './control/world-controls.ts';
import type { Credentials } from './credentials.ts';
import { migrate } from './database/migrate.ts';
import { createHttpServer } from './http-server.ts';
import { openAi } from './llm/openai.ts';
import { stripeHook } from './payments/event.ts';
import { renewDue } from './payments/renewals.ts';
import { stripe } from './payments/stripe.ts';
import { registerProvider } from './provider/register-provider.ts';
import { createRequestLog } from './provider/request-log.ts';
import { liveKit } from './voice/livekit.ts';
import { liveKitHook } from './voice/webhook.ts';
import { World } from './world.ts';

/** Time also passes by itself. */
const renewalIntervalMs = 60_000;

export interface SandboxOptions {
  /** A database of the stand-in's own. */
  readonly databaseUrl: string;
  readonly bus: BusClient;
  readonly gatewayUrl: string;
  readonly credentials: Credentials;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly silenceMs?: number;
  readonly onError: (error: unknown, note: string) => void;
}

export interface Sandbox {
  readonly url: string;
  /** Stops taking requests, cuts connections that wait for nothing, and keeps what is queued for the next start. */
  close(): Promise<void>;
}

/**
 * Postgres plans each statement once, while its tables are empty; with these options it uses an index wherever
 * there is one.
 */
const planning = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Starts the sandbox: all providers of the outside world, its control API and its clock. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { credentials, onError } = options;
  const pool = new pg.Pool({ connectionString: options.databaseUrl, options: planning, max: 10 });
  pool.on('error', (error) => onError(error, 'a database connection was lost'));
  await migrate(pool);
  const clock = await PlatformClock.open(pool, options.bus);
  const courier = new Courier({
    pool,
    gatewayUrl: options.gatewayUrl,
    hooks: {
      chat: whatsAppHook(credentials.whatsApp),
      payments: stripeHook(credentials.stripe.webhookSecret),
      carrier: twilioHook(credentials.twilio.authToken),
      voice: liveKitHook(credentials.liveKit.apiKey, credentials.liveKit.apiSecret),
    },
    onDropped: (event, answer) => onError(new Error(answer), `dropped the callback ${event}`),
    onError: (error) => onError(error, 'callbacks are held up'),
  });
  const world = new World(pool, clock, courier);

  const app = createHttpServer((error) => onError(error, 'a request failed'));
  app.get('/', (request, reply) =>
    reply.type('text/html; charset=utf-8').send(indexPage(`${request.protocol}://${request.host}`)),
  );
  app.get('/health', async () => {
    await pool.query('select 1');
    return { status: 'ok' };
  });
  registerWorldControls(app, world, clock, () => renewDue(world));
  registerChatControls(app, world);
  registerSmsControls(app, world, credentials.twilio.accountSid);
  registerVoiceControls(app, world);
  registerAccountControls(app, options.bus);
  const context = {
    pool,
    log: createRequestLog(pool),
    clock,
    silenceMs: options.silenceMs ?? 60_000,
    onError: (error: unknown) => onError(error, 'a provider broke'),
  };
  registerProvider(app, whatsApp(world, credentials.whatsApp), context);
  registerProvider(app, twilio(world, credentials.twilio), context);
  registerProvider(app, stripe(world, credentials.stripe), context);
  registerProvider(app, liveKit(world, credentials.liveKit), context);
  registerProvider(app, openAi(world, credentials.openAi), context);

  const renewals = setInterval(() => {
    renewDue(world).catch((error: unknown) => onError(error, 'renewals are held up'));
  }, renewalIntervalMs);

  const reminder = remindUntilHeard(clock);

  const url = await app.listen({ host: options.host, port: options.port });
  return {
    url,
    async close() {
      clearInterval(renewals);
      reminder.stop();
      await app.close();
      await courier.close();
      await pool.end();
    },
  };
}
