import { type AssistantEvent, type AssistantSettings, assistantResource } from '@parley/contracts';
import type { Fold, NewEvent } from '@parley/event-store';
import type { ReferenceKind } from '../assistant/facts.ts';
import { deletions } from './assistants-view.ts';
import {
  afterEvent,
  type NetAssistantChange,
  type RecordedAssistantEvent,
  referenceName,
} from './net-assistant-changes.ts';

type PastAssistant = NetAssistantChange | undefined;

/** What the view keeps of an assistant, folded from its events alone: for moments that no view remembers. */
export const pastAssistant: Fold<PastAssistant, AssistantEvent> = {
  initialState: undefined,
  // What is read from the log comes with what was recorded beside it.
  evolve: (state, event) => afterEvent(state, event as RecordedAssistantEvent),
};

/** Whether a folder, label or knowledgebase was deleted, by the stream that a reference to it is called like. */
export const isGone: Fold<boolean, NewEvent> = {
  initialState: false,
  evolve: (state, { type }) => state || deletions.includes(type),
};

/**
 * As the API showed it; `null` before it was created and once it was deleted. What it refers to is taken out with the
 * deletion of that, as the view does: the assistant's own event comes later.
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
