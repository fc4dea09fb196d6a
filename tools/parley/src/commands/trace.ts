import { styleText } from 'node:util';
import { findTrace, serviceNames, type Traced, type TraceNode, traceTree } from '@parley/contracts';
import { askAll, expectAll, notFound } from '../operator/ask-all.ts';
import type { LogEvent } from '../operator/event-log.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { redactFields } from '../output/redact.ts';
import { formatTime } from '../output/time.ts';
import { inlineFields } from '../output/value.ts';
import { withData } from '../output/with-data.ts';

type TracedEvent = LogEvent & Traced;

/** What one request led to in all services, as a tree. A request that led to nothing is a "no". */
export async function printTrace(
  operator: Operator,
  requestId: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const found = await askAll(async (service) => {
    const part = expectOk(await operator.ask(service, findTrace, { request_id: requestId }), service);
    const events = part.events.map((event): TracedEvent => {
      const data = redactFields(event.data);
      return { ...event, data, service, caused_by: event.metadata.causation_id };
    });
    return { events, isCut: part.is_cut };
  });
  const events = found
    .flatMap(({ value }) => value.events)
    .sort((a, b) => a.recorded_at.localeCompare(b.recorded_at));
  if (events.length === 0) throw notFound(found, `${requestId}: nothing came of such a request.`);
  const tree = traceTree(events);
  const cut = found.filter(({ value }) => value.isCut).map(({ service }) => service);
  const isCut = cut.length > 0 || found.length < serviceNames.length;
  process.stdout.write(
    json
      ? `${toJson({ request_id: requestId, events: tree, is_cut: isCut }, 2)}\n`
      : `request ${requestId}\n${render(tree, '')}`,
  );
  if (cut.length > 0)
    process.stderr.write(`Of ${cut.join(', ')} only the first events are shown: there are more.\n`);
  expectAll(found);
}

const render = (nodes: readonly TraceNode<TracedEvent>[], indent: string): string =>
  nodes
    .map((node, index) => {
      const isLast = index === nodes.length - 1;
      const inner = `${indent}${isLast ? '   ' : '│  '}`;
      const line = `${indent}${isLast ? '└─ ' : '├─ '}${asLine(node)}`;
      const below = `${inner}${node.children.length > 0 ? '│  ' : '   '}`;
      return `${withData(line, inlineFields(node.data), below, dim)}\n${render(node.children, inner)}`;
    })
    .join('');

const asLine = (event: TracedEvent): string =>
  [
    styleText('cyan', event.type, { stream: process.stdout }),
    event.stream_id,
    dim(formatTime(event.recorded_at)),
    `${event.metadata.actor.kind} ${event.metadata.actor.id}`,
  ].join('  ');

const dim = (text: string): string => styleText('dim', text, { stream: process.stdout });
