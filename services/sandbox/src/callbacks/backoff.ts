const firstDelayMs = 250;
/**
 * The longest pause between two attempts. Real platforms wait longer, but a test of what follows an outage need
 * not.
 */
const longestDelayMs = 2_000;
const givesUpAfterAttempts = 30_000;

/**
 * Attempts before a callback is dropped that the gateway answers with 404: it has no such hook, and will have none
 * a moment later.
 */
const missingHookAttempts = 4;

export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'retry'; readonly delayMs: number };

/** What to do after an attempt; `attempts` includes it, and `status` is null when there was no answer. */
export function nextStep(attempts: number, status: number | null): NextStep {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  const limit = status === 404 ? missingHookAttempts : givesUpAfterAttempts;
  if (attempts >= limit) return { kind: 'dropped' };
  return { kind: 'retry', delayMs: Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) };
}
