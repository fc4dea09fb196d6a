import type { RecordedEventMessage } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** An event as it leaves its service: over the bus, to operators, to subscribers outside. */
export function toEventMessage(event: RecordedEvent): RecordedEventMessage {
  const { correlationId, causationId, commandId, actor, traceparent, chainDepth, imported } = event.metadata;
  return {
    position: event.position,
    stream_id: event.streamId,
    stream_version: event.streamVersion,
    category: event.category,
    account_id: event.accountId,
    type: event.type,
    schema_version: event.schemaVersion,
    event_id: event.eventId,
    // A payload is a JSON object: nothing else can be appended.
    data: event.data as RecordedEventMessage['data'],
    metadata: {
      correlation_id: correlationId,
      causation_id: causationId,
      command_id: commandId,
      actor,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(chainDepth === undefined ? {} : { chain_depth: chainDepth }),
      ...(imported && { imported }),
    },
    recorded_at: event.recordedAt,
  };
}
