/** What of an event says where it belongs in a trace. */
export interface Traced {
  readonly event_id: string;
  readonly stream_id: string;
  readonly caused_by: string;
}

/** An event with those that it led to. */
export type TraceNode<E extends Traced> = E & { readonly children: TraceNode<E>[] };

/**
 * The tree of what one request led to; `events` in time order. An event stands below the one that caused it; with its
 * siblings when one command caused both; else below its stream's predecessor; else it was caused by the request itself.
 */
export function traceTree<E extends Traced>(events: readonly E[]): TraceNode<E>[] {
  const roots: TraceNode<E>[] = [];
  const byId = new Map<string, TraceNode<E>>();
  const placeOfCause = new Map<string, TraceNode<E>[]>();
  const lastOfStream = new Map<string, TraceNode<E>>();
  for (const event of events) {
    const node: TraceNode<E> = { ...event, children: [] };
    const place =
      byId.get(event.caused_by)?.children ??
      placeOfCause.get(event.caused_by) ??
      lastOfStream.get(event.stream_id)?.children ??
      roots;
    place.push(node);
    byId.set(event.event_id, node);
    placeOfCause.set(event.caused_by, place);
    lastOfStream.set(event.stream_id, node);
  }
  return roots;
}
