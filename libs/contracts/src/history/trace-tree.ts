/** What of an event says where it belongs in a trace. */
export interface Traced {
  readonly event_id: string;
  readonly stream_id: string;
  readonly caused_by: string;
}

/** An event with those that it led to. */
export type TraceNode<E extends Traced> = E & { readonly children: TraceNode<E>[] };

/**
 * The tree of what one request led to; `events` in time order, as far as the clocks of the services agree. An event
 * stands below the one that caused it; with its siblings when one command caused both; else below its stream's
 * predecessor; else it was caused by the request itself.
 */
export function traceTree<E extends Traced>(events: readonly E[]): TraceNode<E>[] {
  const roots: TraceNode<E>[] = [];
  const nodes = events.map((event): TraceNode<E> => ({ ...event, children: [] }));
  const byId = new Map(nodes.map((node) => [node.event_id, node]));
  const placeOfCause = new Map<string, TraceNode<E>[]>();
  const lastOfStream = new Map<string, TraceNode<E>>();
  for (const node of nodes) {
    const { caused_by, stream_id } = node;
    const place =
      byId.get(caused_by)?.children ??
      placeOfCause.get(caused_by) ??
      lastOfStream.get(stream_id)?.children ??
      roots;
    place.push(node);
    placeOfCause.set(caused_by, place);
    lastOfStream.set(stream_id, node);
  }
  return roots;
}
