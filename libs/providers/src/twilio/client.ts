import { createRequire } from 'node:module';
import { lazily, loadedLate } from '@parley/process-kit';
import { asking, garbledBy, type ProviderFailure } from '../provider-result.ts';
import { failureOf } from '../sdk-failure.ts';

/** Who Twilio says to have a number, where the law asks: ids of an approved regulatory bundle and of an address. */
export interface NumberOwner {
  readonly bundleSid?: string;
  readonly addressSid?: string;
}

export interface TwilioOptions {
  readonly baseUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** The SIP trunk that calls to bought numbers are routed to; without it nobody can call them. */
  readonly trunkSid?: string | undefined;
  /** By what number it is, as `byNumberKind` reads them; without an address, numbers that need one are not offered. */
  readonly owners?: ReadonlyMap<string, NumberOwner> | undefined;
  /** Milliseconds for one request; 3,000 when absent. */
  readonly timeoutMs?: number;
  /** Milliseconds that a request waits for its turn; 2,000 when absent. */
  readonly turnTimeoutMs?: number;
}

type Twilio = typeof import('twilio');

/** `require`, as `import` would keep failing once a load has failed halfway. Bundles leave out what is loaded by it. */
const load = createRequire(import.meta.url);

/** The official SDK, loaded on first use: loading takes a fifth of a service's start. */
export const twilioSdk = loadedLate(async (): Promise<Twilio> => load('twilio'));

/** The SDK's client, pointed at `baseUrl`. */
export const createTwilioClient = ({ baseUrl, accountSid, authToken, timeoutMs = 3_000 }: TwilioOptions) =>
  lazily(async () => {
    const twilio = await twilioSdk();
    const client = twilio(accountSid, authToken, { timeout: timeoutMs });
    client.api.baseUrl = baseUrl;
    return client;
  });

export type TwilioClient = ReturnType<typeof createTwilioClient>;

export const garbled = garbledBy('Twilio');

export const asked = asking(twilioFailure);

/** The sending number's queue is full: nothing was accepted, and there will be room later. */
const queueFull = '21611';

function twilioFailure(error: unknown): ProviderFailure {
  const { status, code, message, cause } = Object(error);
  if (String(code) === queueFull) return { kind: 'unavailable', message: String(message) };
  return failureOf({
    provider: 'Twilio',
    status: typeof status === 'number' ? status : null,
    code: code === undefined || code === null ? null : String(code),
    message: typeof message === 'string' ? message : '',
    cause,
  });
}
