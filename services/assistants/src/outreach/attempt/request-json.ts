import type { Variables } from '../../lead/lead.ts';

/** What somebody is reached with; each channel adds what it needs. */
export interface OutreachRequest {
  readonly variables: Variables;
}

/** As many as the bus carries bytes (1 MiB unless configured); what has fewer characters, and yet too many bytes, it refuses. */
export const maxRequestLength = 1024 * 1024;

/**
 * A request as JSON; undefined when its variables alone are more than the bus carries. They are counted before they are
 * written: one large value may be there under any number of names.
 */
export function requestJson(request: OutreachRequest): string | undefined {
  const lengths = new Map<unknown, number>();
  let length = 0;
  for (const [name, value] of Object.entries(request.variables)) {
    const own = lengths.get(value) ?? JSON.stringify(value).length;
    lengths.set(value, own);
    length += name.length + own;
    if (length > maxRequestLength) return undefined;
  }
  return JSON.stringify(request);
}
