import type { Variables } from '../../lead/lead.ts';

/** What the request of any channel holds; each adds what it needs. */
export interface OutreachRequest {
  readonly variables: Variables;
}

/**
 * Longest request, in characters: the bus carries as many bytes (1 MiB unless configured). Where fewer characters take
 * more bytes, the bus refuses.
 */
export const maxRequestLength = 1024 * 1024;

/**
 * A request as JSON; undefined when its variables alone are more than the bus carries. Lengths are counted before
 * anything is written, because one large value may stand under any number of names.
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
