import { styleText } from 'node:util';
import { findTrace, type Traced, type TraceNode, traceTree } from '@parley/contracts';
import { askAll, notFound } from '../operator/ask-all.ts';
import type { LogEvent } from '../operator/event-log.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { redactFields } from '../output/redact.ts';
import { formatTime } from '../output/time.ts';
import { inlineFields } from '../output/value.ts';

type TracedEvent = LogEvent & Traced;

/** What one request led to in all services, as a tree. A request that led to nothing is a "no". */
export async function printTrace(
  operator: Operator,
  requestId: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const found = await askAll(async (service) => {
    const { events } = expectOk(await operator.ask(service, findTrace, { request_id: requestId }), service);
    return events.map((event): TracedEvent => {
      const data = redactFields(event.data);
      return { ...event, data, service, caused_by: event.metadata.causation_id };
    });
  });
  const events = found
    .flatMap(({ value }) => value)
    .sort((a, b) => a.recorded_at.localeCompare(b.recorded_at));
  if (events.length === 0) throw notFound(found, `${requestId}: nothing came of such a request.`);
  const tree = traceTree(events);
  process.stdout.write(
    json
      ? `${JSON.stringify({ request_id: requestId, events: tree }, null, 2)}\n`
      : `request ${requestId}\n${render(tree, '')}`,
  );
}

const render = (nodes: readonly TraceNode<TracedEvent>[], indent: string): string =>
  nodes
    .map((node, index) => {
      const isLast = index === nodes.length - 1;
      const below = render(node.children, `${indent}${isLast ? '   ' : '│  '}`);
      return `${indent}${isLast ? '└─ ' : '├─ '}${asLine(node)}\n${below}`;
    })
    .join('');

const asLine = (event: TracedEvent): string =>
  [
    styleText('cyan', event.type, { stream: process.stdout }),
    event.stream_id,
    styleText('dim', formatTime(event.recorded_at), { stream: process.stdout }),
    `${event.metadata.actor.kind} ${event.metadata.actor.id}`,
    styleText('dim', inlineFields(event.data), { stream: process.stdout }),
  ].join('  ');
