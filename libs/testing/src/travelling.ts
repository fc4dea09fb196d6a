import { randomUUID } from 'node:crypto';
import type { NewEvent } from '@parley/event-store';

interface TravellingStream {
  readonly accountId: number;
  readonly category: string;
  readonly streamId: string;
}

/** A stream as an export has it. */
export const travelling = (
  { accountId, category, streamId }: TravellingStream,
  events: readonly NewEvent[],
) =>
  events.map(({ type, data }, index) => ({
    event_id: randomUUID(),
    stream_id: streamId,
    stream_version: index + 1,
    category,
    type,
    schema_version: 1,
    account_id: accountId,
    recorded_at: '2026-11-21T09:30:00.000000Z',
    data,
    metadata: {
      correlation_id: 'request-1',
      causation_id: 'request-1',
      command_id: null,
      actor: { kind: 'system', id: 'test' },
    },
  }));
