import { neverConnected, type ProviderFailure, unheard, wasNeverSent } from './provider-result.ts';

/** The parts of an SDK's exception that tell what the provider may have done. */
export interface SdkError {
  readonly provider: string;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  /** The error beneath it, such as Node's. */
  readonly cause?: unknown;
}

/** Sorts an SDK's error by what the provider may have done (`ProviderFailure`). */
export function failureOf({ provider, status, code, message, cause }: SdkError): ProviderFailure {
  if (status === null) {
    const wasNotAsked = (code !== null && wasNeverSent(code)) || neverConnected(cause);
    // Where several addresses were tried, each has an error of its own, and they have no message together.
    const reason = message || (code ?? 'no reason');
    return { kind: wasNotAsked ? 'unavailable' : 'unknown', message: unheard(provider, reason) };
  }
  // 401 means that our key is wrong, which says nothing about the request. A 503 without a code comes from a proxy: the
  // provider behind it may have acted.
  if (status === 429 || status === 401 || (status === 503 && code !== null))
    return { kind: 'unavailable', message };
  // 409: a request with the same key is still running.
  if (status >= 500 || status === 409 || status < 400) return { kind: 'unknown', message };
  return { kind: 'rejected', code, message };
}
