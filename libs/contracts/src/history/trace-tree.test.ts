import { expect, test } from 'vitest';
import { type Traced, type TraceNode, traceTree } from './trace-tree.ts';

const event = (event_id: string, stream_id: string, caused_by: string): Traced => ({
  event_id,
  stream_id,
  caused_by,
});
type Names = { readonly [name: string]: Names };
const names = (nodes: readonly TraceNode<Traced>[]): Names =>
  Object.fromEntries(nodes.map(({ event_id, children }) => [event_id, names(children)]));

test('an event stands below the one that caused it, events of one command side by side', () => {
  const tree = traceTree([
    event('started', 'run-1', 'command'),
    event('called', 'run-1', 'command'),
    event('charged', 'balance-1', 'called'),
    event('told', 'webhook-1', 'called'),
    event('delivered', 'webhook-1', 'timer:webhook-1'),
  ]);
  expect(names(tree)).toEqual({ started: {}, called: { charged: {}, told: { delivered: {} } } });
});

test('an event of a service whose clock is behind stands below its cause all the same', () => {
  const tree = traceTree([
    event('called', 'call-1', 'started'),
    event('started', 'run-1', 'command'),
    event('ended', 'run-1', 'run-1'),
  ]);
  expect(names(tree)).toEqual({ started: { called: {}, ended: {} } });
});
