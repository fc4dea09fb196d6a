/** How often a model that is asked too much is waited for at once, and how many seconds each time at most. */
export const maxWaits = 3;
const longestWaitSeconds = 5;

/**
 * Milliseconds until a model that is asked too much takes questions again; undefined where it does not say so, or it is
 * long: then the reply's timer asks it.
 */
export function waitOf(answer: { readonly status: number; readonly retryAfter: string }): number | undefined {
  if (answer.status !== 429 || !/^\d{1,6}$/.test(answer.retryAfter)) return undefined;
  const seconds = Number(answer.retryAfter);
  return seconds <= longestWaitSeconds ? seconds * 1_000 : undefined;
}
