const wellFormed = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's W3C trace context, when it is one. */
export const traceParentOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && wellFormed.test(header) ? header : undefined;
