/** Milliseconds since 1970 as these operations show times: in whole seconds, with `+00:00` (decisions, section 1). */
export const toOffsetTime = (ms: number): string =>
  `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}+00:00`;

/** The same rounded up, for moments that clients wait for: who comes back then is not too early. */
export const toOffsetTimeAfter = (ms: number): string => toOffsetTime(Math.ceil(ms / 1000) * 1000);
