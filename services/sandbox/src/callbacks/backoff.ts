const firstDelayMs = 250;
/** Real platforms take longer; whoever tests what comes after an outage need not wait for it. */
const longestDelayMs = 2_000;
const givesUpAfterAttempts = 30_000;

/** A gateway without that hook answers 404: it will not have one a moment later, so a few tries are enough. */
const missingHookAttempts = 4;

export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'retry'; readonly delayMs: number };

/** What follows an attempt; `status` is null when there was no answer at all. */
export function nextStep(attempts: number, status: number | null): NextStep {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  const limit = status === 404 ? missingHookAttempts : givesUpAfterAttempts;
  if (attempts >= limit) return { kind: 'dropped' };
  return { kind: 'retry', delayMs: Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) };
}
