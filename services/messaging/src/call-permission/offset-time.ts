/** Milliseconds since 1970 as the API shows them here: whole seconds with `+00:00` (decisions, section 1). */
export const toOffsetTime = (ms: number): string =>
  `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}+00:00`;

/** A moment to wait for: rounded up, so that whoever comes back then is not too early. */
export const toOffsetTimeAfter = (ms: number): string => toOffsetTime(Math.ceil(ms / 1000) * 1000);
