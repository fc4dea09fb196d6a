import { type AssistantEvent, type AssistantSettings, assistantResource } from '@parley/contracts';
import type { Fold, NewEvent } from '@parley/event-store';
import type { ReferenceKind } from '../../assistant/facts.ts';
import { deletions } from './assistants-view.ts';
import {
  afterEvent,
  type NetAssistantChange,
  type RecordedAssistantEvent,
  referenceName,
} from './net-assistant-changes.ts';

type PastAssistant = NetAssistantChange | undefined;

/** An assistant as the view keeps it, folded from its events alone: for moments that no view remembers. */
export const pastAssistant: Fold<PastAssistant, AssistantEvent> = {
  initialState: undefined,
  // It also needs what is recorded beside an event's data, which events of the log come with.
  evolve: (state, event) => afterEvent(state, event as RecordedAssistantEvent),
};

/**
 * Folds the stream of a folder, label or knowledgebase to whether it was deleted. A reference has that stream's id as
 * its name.
 */
export const isGone: Fold<boolean, NewEvent> = {
  initialState: false,
  evolve: (state, { type }) => state || deletions.includes(type),
};

/**
 * An assistant as the API showed it; null before it was created and once it was deleted. A reference is left out as
 * soon as what it names was deleted, as the view does: the assistant's own event comes later.
 */
export async function renderPast(
  assistant: PastAssistant,
  wasGone: (reference: string) => Promise<boolean>,
): Promise<object | null> {
  if (!assistant || assistant.deleted) return null;
  const gone = new Set<string>();
  await Promise.all(assistant.added.map(async (name) => (await wasGone(name)) && gone.add(name)));
  const { folder_id, knowledgebase_id, label_ids } = assistant.fields as Partial<AssistantSettings>;
  const isThere = (kind: ReferenceKind, id: number): boolean => !gone.has(referenceName({ kind, id }));
  const fields: NetAssistantChange['fields'] = {
    ...assistant.fields,
    folder_id: folder_id && isThere('folder', folder_id) ? folder_id : null,
    knowledgebase_id:
      knowledgebase_id && isThere('knowledgebase', knowledgebase_id) ? knowledgebase_id : null,
    label_ids: label_ids?.filter((id) => isThere('label', id)),
  };
  return Object.fromEntries(Object.keys(assistantResource.shape).map((name) => [name, fields[name] ?? null]));
}
