/** Body size and nesting (decisions, section 1). */
export const bodyLimitBytes = 256 * 1024;
export const maxJsonDepth = 32;

/** From the request's head to its answer, body upload aside; then 503. */
export const handlerTimeoutMs = 10_000;
