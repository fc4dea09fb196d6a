import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { z } from 'zod';
import { asking, garbledBy, type ProviderFailure } from '../provider-result.ts';
import { failureOf } from '../sdk-failure.ts';

export interface StripeOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Milliseconds for one request; 3,000 when absent. */
  readonly timeoutMs?: number;
}

/**
 * The official SDK, pointed at `baseUrl`. It repeats a request itself only when the connection was closed before an
 * answer came: once, with the same key. All other repetitions are the caller's.
 */
export function createStripeClient({ baseUrl, apiKey, timeoutMs = 3_000 }: StripeOptions): Stripe {
  const { hostname, port, protocol } = new URL(baseUrl);
  const isPlain = protocol === 'http:';
  return new Stripe(apiKey, {
    // A URL has IPv6 addresses in brackets, the connection's host has not.
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: createHttpClient(),
  });
}

/** An error body of Stripe. Proxies in front of it answer errors with other bodies. */
const refusal = z.object({ error: z.object({ type: z.string() }) });

/**
 * The SDK recognises an error only by `error` in the body: without it, any status counts as success, and JSON that is
 * no object crashes the process. This client makes such answers unreadable, so that they become failures.
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

/** The failure for an exception of the SDK. One that is not Stripe's own error comes from an unreadable answer. */
export function stripeFailure(error: unknown): ProviderFailure {
  if (!(error instanceof Stripe.errors.StripeError)) return garbled;
  const { statusCode, code, message, detail, param } = error;
  if (code === 'resource_missing' && param === 'customer')
    return { kind: 'rejected', code: 'unknown_customer', message };
  // 403: our key lacks a permission, which says nothing about the request.
  if (statusCode === 403) return { kind: 'unavailable', message };
  const cause = typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : undefined;
  return failureOf({
    provider: 'Stripe',
    status: statusCode ?? null,
    code: code ?? (cause === undefined ? null : String(cause)),
    // Of a connection that failed the SDK says no more than that.
    message: detail instanceof Error ? detail.message : message,
    cause: detail,
  });
}

/**
 * Creates something under an idempotency key. Stripe keeps a failed answer (5xx) for a day and replays it: then the
 * request is made again under a fresh key. Only for things that do no harm when they exist twice.
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
