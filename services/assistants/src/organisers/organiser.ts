import type { FolderEvent, LabelEvent, organiserColors } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** Folders and labels are the same machine under two names: an organiser groups an account's assistants. */
export type OrganiserEvent = FolderEvent | LabelEvent;
export type OrganiserColor = (typeof organiserColors)[number];

/** Null before it is created and after it is deleted. Its account stands on the stream's events. */
export type Organiser = {
  readonly id: number;
  readonly name: string;
  readonly color: string | null;
} | null;

export const organiser: Fold<Organiser, OrganiserEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'FolderCreated':
      case 'LabelCreated': {
        const { id, name, color } = event.data;
        return { id, name, color };
      }
      case 'FolderRenamed':
      case 'LabelRenamed':
        return state && { ...state, name: event.data.name };
      case 'FolderRecolored':
      case 'LabelRecolored':
        return state && { ...state, color: event.data.color };
      case 'FolderDeleted':
      case 'LabelDeleted':
        return null;
      default:
        return state;
    }
  },
};
