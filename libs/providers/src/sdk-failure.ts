import { neverConnected, type ProviderFailure, wasNeverSent } from './provider-result.ts';

/** What an SDK's exception says, as far as it is known. */
export interface SdkError {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  /** What it met with itself. */
  readonly cause?: unknown;
}

/** Sorts an SDK's error by what the provider may have done (`ProviderFailure`). */
export function failureOf({ status, code, message, cause }: SdkError): ProviderFailure {
  if (status === null)
    return (code !== null && wasNeverSent(code)) || neverConnected(cause)
      ? { kind: 'unavailable', message }
      : { kind: 'unknown', message };
  // 401 is about us, not about what was asked. A 503 without a code is a proxy's, behind which it may have been done.
  if (status === 429 || status === 401 || (status === 503 && code !== null))
    return { kind: 'unavailable', message };
  // 409 is a request of the same key that still runs.
  if (status >= 500 || status === 409 || status < 400) return { kind: 'unknown', message };
  return { kind: 'rejected', code, message };
}
