import type { AssistantEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { assistantCategory } from '../../assistant/assistant.ts';
import type { OrganiserKind } from '../../organisers/organiser-kind.ts';

/** The folders (one at most) or labels of an assistant after a batch of events. */
export interface Membership {
  readonly assistantId: number;
  readonly organiserIds: readonly number[];
}

type Recorded = RecordedEvent & AssistantEvent;

/** The events that put assistants into folders or labels, or take them out. */
export const membershipEventTypes: Readonly<
  Record<OrganiserKind['noun'], readonly AssistantEvent['type'][]>
> = {
  folder: ['AssistantCreated', 'AssistantMovedToFolder', 'AssistantDeleted'],
  label: ['AssistantCreated', 'AssistantLabelled', 'AssistantDeleted'],
};

/** One membership for each assistant that a batch says something about. */
export function netMemberships(events: readonly RecordedEvent[], { noun }: OrganiserKind): Membership[] {
  const byStream = new Map<string, Membership>();
  for (const event of events.filter(isAssistantEvent)) {
    const organiserIds = noun === 'folder' ? folderAfter(event) : labelsAfter(event);
    const assistantId = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
    if (organiserIds) byStream.set(event.streamId, { assistantId, organiserIds });
  }
  return [...byStream.values()];
}

const isAssistantEvent = (event: RecordedEvent): event is Recorded => event.category === assistantCategory;

/** The folder that an assistant is in, as a list; undefined when the event says nothing about that. */
function folderAfter(event: AssistantEvent): readonly number[] | undefined {
  switch (event.type) {
    case 'AssistantCreated':
      return one(event.data.settings.folder_id);
    case 'AssistantMovedToFolder':
      return one(event.data.folder_id);
    case 'AssistantDeleted':
      return [];
    default:
      return undefined;
  }
}

function labelsAfter(event: AssistantEvent): readonly number[] | undefined {
  switch (event.type) {
    case 'AssistantCreated':
      return event.data.settings.label_ids;
    case 'AssistantLabelled':
      return event.data.label_ids;
    case 'AssistantDeleted':
      return [];
    default:
      return undefined;
  }
}

const one = (id: number | null): readonly number[] => (id === null ? [] : [id]);
