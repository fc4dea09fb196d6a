/** Header that tells a receiver, before it reads the body, that it may know the webhook already (ADR 21). */
export const replayHeader = 'webhook-replay';

/**
 * The body that was fixed when the webhook was queued, with `replay` as its last field: the same bytes at every
 * attempt.
 */
export const markedAsReplay = (body: string): string => `${body.slice(0, -1)},"replay":true}`;
