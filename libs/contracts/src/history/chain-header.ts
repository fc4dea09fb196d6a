/**
 * Header of the requests that a run of an automation makes over HTTP, and of webhooks about what a run led to: its
 * chain depth, so that a run which they start is known to be one deeper, and loops end.
 */
export const chainHeader = 'x-parley-chain-depth';

/** The chain depth in the header's value; undefined for requests that no run made. */
export const chainDepthIn = (header: unknown): number | undefined =>
  typeof header === 'string' && /^\d{1,3}$/.test(header) ? Number(header) : undefined;
