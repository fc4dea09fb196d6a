import {
  events as definitions,
  findTrace,
  type getTrace,
  type OperationSuccess,
  publicEvents,
  type RecordedEventMessage,
  traceTree,
} from '@parley/contracts';
import { byTime } from '../account-log/merge-logs.ts';
import { type ServiceAnswer, withoutAnswerOf } from './ask-services.ts';

type Trace = OperationSuccess<typeof getTrace>['data'];

const summaries = new Map(definitions.map(({ type, summary }) => [type, summary]));

/**
 * The tree of all public events that a request led to in the services; `null` when there are none. Throws
 * `unavailable` when nothing was found and some service did not answer.
 */
export function renderTrace(requestId: string, answers: readonly ServiceAnswer[]): Trace | null {
  const found = answers.flatMap(({ service, reply }) =>
    reply?.kind === 'ok' ? [{ service, ...findTrace.output.parse(JSON.parse(reply.body)) }] : [],
  );
  const missing = answers.filter(({ reply }) => reply?.kind !== 'ok').map(({ service }) => service);
  const events = found
    .flatMap(({ service, events: own }) => own.map((event) => ({ service, event })))
    .filter(({ event }) => publicEvents.isPublic(event.type))
    .sort(byTime)
    .map(({ service, event }) => toTraced(service, event));
  if (events.length === 0) {
    if (missing.length > 0) throw withoutAnswerOf(missing);
    return null;
  }
  return {
    request_id: requestId,
    is_cut: missing.length > 0 || found.some(({ is_cut }) => is_cut),
    missing_services: missing,
    events: traceTree(events),
  };
}

const toTraced = (service: string, event: RecordedEventMessage) => ({
  event: event.type,
  event_id: event.event_id,
  summary: summaries.get(event.type) ?? event.type,
  service,
  stream_id: event.stream_id,
  position: event.position,
  occurred_at: event.recorded_at,
  actor: event.metadata.actor,
  caused_by: event.metadata.causation_id,
  data: publicEvents.dataOf(event),
});
