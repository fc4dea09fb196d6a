import type { RecordedEvent } from '@parley/event-store';

/** An event as the log gives it back: position and version 1, account 1, unless told otherwise. */
export const recorded = <E extends { readonly type: string; readonly data: unknown }>(
  event: E,
  envelope: Partial<Omit<RecordedEvent, 'type' | 'data'>> = {},
): RecordedEvent & E => ({
  position: 1,
  streamId: 'stream-1',
  streamVersion: 1,
  category: 'stream',
  accountId: 1,
  schemaVersion: 1,
  eventId: '0193e2a0-0000-7000-8000-000000000001',
  metadata: {
    correlationId: 'request-1',
    causationId: 'command-1',
    commandId: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recordedAt: '2026-11-21T09:30:00.000000Z',
  ...envelope,
  ...event,
});
