import { neverConnected, type ProviderFailure, wasNeverSent } from './provider-result.ts';

/** The parts of an SDK's exception that tell what the provider may have done. */
export interface SdkError {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  /** The error beneath it, such as Node's. */
  readonly cause?: unknown;
}

/** Sorts an SDK's error by what the provider may have done (`ProviderFailure`). */
export function failureOf({ status, code, message, cause }: SdkError): ProviderFailure {
  if (status === null)
    return (code !== null && wasNeverSent(code)) || neverConnected(cause)
      ? { kind: 'unavailable', message }
      : { kind: 'unknown', message };
  // 401 means that our key is wrong, which says nothing about the request. A 503 without a code comes from a proxy: the
  // provider behind it may have acted.
  if (status === 429 || status === 401 || (status === 503 && code !== null))
    return { kind: 'unavailable', message };
  // 409: a request with the same key is still running.
  if (status >= 500 || status === 409 || status < 400) return { kind: 'unknown', message };
  return { kind: 'rejected', code, message };
}
