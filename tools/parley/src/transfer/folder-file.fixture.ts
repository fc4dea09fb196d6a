import { serviceNames } from '@parley/contracts';
import { golden } from '@parley/testing';
import { exportedEvent } from './lines.ts';
import type { Spool } from './spool.ts';

/** The event of a folder at a position, from 1 to 9, as a service gives it for an export. */
export const folderEvent = (position: number) => ({
  position,
  event_id: `0193e2a0-0000-7000-8000-00000000000${position}`,
  stream_id: 'folder-12',
  stream_version: position,
  category: 'folder',
  account_id: 3,
  ...golden<{ type: string; data: object }>('FolderCreated.v1')[0],
  schema_version: 1,
  metadata: {
    correlation_id: 'request-1',
    causation_id: 'command-1',
    command_id: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recorded_at: `2026-11-21T09:30:0${position}.000000Z`,
});

/** A file of account 3 with so many events of each service. */
export function folderFile(events: number): Spool {
  const lastAt = events === 0 ? null : folderEvent(events).recorded_at;
  const part = { accountId: 3, events, lastAt, streams: new Map(), names: [], nextIds: {} };
  return {
    accounts: new Map([[3, new Map(serviceNames.map((service) => [service, part]))]]),
    async *read(_, service) {
      for (let position = 1; position <= events; position += 1)
        yield exportedEvent.parse({ service, ...folderEvent(position) });
    },
    close: async () => undefined,
  };
}
