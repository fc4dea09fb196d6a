/** Body size and nesting (decisions, section 1). */
export const bodyLimitBytes = 256 * 1024;
export const maxJsonDepth = 32;
