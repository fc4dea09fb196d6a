import Stripe from 'stripe';
import type { ProviderFailure, ProviderResult } from '../provider-result.ts';
import { failureOf } from '../sdk-failure.ts';

export interface StripeOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of one request; 3,000 when absent. */
  readonly timeoutMs?: number;
}

/** The official SDK, pointed at `baseUrl`. It never repeats a request by itself: whoever asks decides that. */
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
  });
}

/** What the SDK resolved with, or its exception as a value. */
export async function asked<T>(work: () => Promise<ProviderResult<T>>): Promise<ProviderResult<T>> {
  try {
    return await work();
  } catch (error) {
    return stripeFailure(error);
  }
}

export function stripeFailure(error: unknown): ProviderFailure {
  if (!(error instanceof Stripe.errors.StripeError))
    return { kind: 'unknown', message: 'Stripe’s answer could not be read.' };
  const { statusCode, code, message, detail, param } = error;
  if (code === 'resource_missing' && param === 'customer')
    return { kind: 'rejected', code: 'unknown_customer', message };
  const cause = typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : undefined;
  return failureOf({
    status: statusCode ?? null,
    code: code ?? (cause === undefined ? null : String(cause)),
    message,
  });
}

/** The answer made no sense, as from a proxy: what was asked may have been done. */
export const garbled: ProviderFailure = { kind: 'unknown', message: 'Stripe’s answer could not be read.' };
