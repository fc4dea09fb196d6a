import type { RecordedEvent } from '@parley/event-store';
import type { OrganiserEvent } from '../../organisers/organiser.ts';

export type RecordedOrganiserEvent = RecordedEvent & OrganiserEvent;

/** What a batch of events comes to for one organiser. A field that is absent is left as it is. */
export interface NetChange {
  readonly id: number;
  /** Present when the batch itself created it. */
  readonly createdAt?: { readonly accountId: number | null; readonly position: number };
  readonly name?: string;
  readonly color?: string | null;
  readonly isDeleted: boolean;
}

/** One change per organiser, however many events a batch holds about it. */
export function netChanges(events: readonly RecordedOrganiserEvent[]): NetChange[] {
  const byStream = new Map<string, NetChange>();
  for (const event of events) byStream.set(event.streamId, applied(byStream.get(event.streamId), event));
  return [...byStream.values()];
}

function applied(earlier: NetChange | undefined, event: RecordedOrganiserEvent): NetChange {
  const change = earlier ?? { id: idOf(event.streamId), isDeleted: false };
  switch (event.type) {
    case 'FolderCreated':
    case 'LabelCreated': {
      const { accountId, position } = event;
      return { ...change, ...event.data, createdAt: { accountId, position } };
    }
    case 'FolderRenamed':
    case 'LabelRenamed':
    case 'FolderRecolored':
    case 'LabelRecolored':
      return { ...change, ...event.data };
    case 'FolderDeleted':
    case 'LabelDeleted':
      return { ...change, isDeleted: true };
    default:
      return event satisfies never;
  }
}

const idOf = (streamId: string): number => Number(streamId.slice(streamId.lastIndexOf('-') + 1));
