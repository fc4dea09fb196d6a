import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { z } from 'zod';
import { asking, garbledBy, type ProviderFailure } from '../provider-result.ts';
import { failureOf } from '../sdk-failure.ts';

export interface StripeOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of one request; 3,000 when absent. */
  readonly timeoutMs?: number;
}

/**
 * The official SDK, pointed at `baseUrl`. By itself it repeats only what a closed connection did not answer, once and under
 * the same key: all else is for whoever asks.
 */
export function createStripeClient({ baseUrl, apiKey, timeoutMs = 3_000 }: StripeOptions): Stripe {
  const { hostname, port, protocol } = new URL(baseUrl);
  const isPlain = protocol === 'http:';
  return new Stripe(apiKey, {
    // A URL has IPv6 in brackets, a connection has not.
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: createHttpClient(),
  });
}

/** Where it did not do what it was asked, Stripe says why; whoever stands before it may answer without. */
const refusal = z.object({ error: z.object({ type: z.string() }) });

/**
 * The SDK goes by the `error` in an answer alone: without one it takes any status for done, and JSON that is no object
 * ends the process. Such an answer is made one that cannot be read.
 */
function createHttpClient(): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      const response = await client.makeRequest(...request);
      const status = response.getStatusCode();
      const read = response.toJSON.bind(response);
      return Object.assign(response, {
        async toJSON(): Promise<unknown> {
          const body: unknown = await read();
          const isSuccess = status >= 200 && status < 300 && Object(body) === body;
          if (isSuccess || refusal.safeParse(body).success) return body;
          throw new TypeError(`Stripe does not answer ${status} like that.`);
        },
      });
    },
  };
}

export const garbled = garbledBy('Stripe');

export const asked = asking(stripeFailure);

export function stripeFailure(error: unknown): ProviderFailure {
  if (!(error instanceof Stripe.errors.StripeError)) return garbled;
  const { statusCode, code, message, detail, param } = error;
  if (code === 'resource_missing' && param === 'customer')
    return { kind: 'rejected', code: 'unknown_customer', message };
  // Our key may not do it: that is about us, not about what was asked.
  if (statusCode === 403) return { kind: 'unavailable', message };
  const cause = typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : undefined;
  return failureOf({
    status: statusCode ?? null,
    code: code ?? (cause === undefined ? null : String(cause)),
    message,
    cause: detail,
  });
}

/**
 * Creates something under a key; under another one where what Stripe keeps under that one, for a day, is that it failed.
 * Only for what does no harm when it is there twice.
 */
export async function createAnew<T>(key: string, create: (idempotencyKey: string) => Promise<T>): Promise<T> {
  try {
    return await create(key);
  } catch (error) {
    if (!isKeptFailure(error)) throw error;
    return await create(`${key}-${randomUUID()}`);
  }
}

const isKeptFailure = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError &&
  (error.statusCode ?? 0) >= 500 &&
  error.headers?.['idempotent-replayed'] === 'true';
