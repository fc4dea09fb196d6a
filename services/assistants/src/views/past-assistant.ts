import { type AssistantEvent, assistantResource } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { afterEvent, type NetAssistantChange, type RecordedAssistantEvent } from './net-assistant-changes.ts';

type PastAssistant = NetAssistantChange | undefined;

/** What the view keeps of an assistant, folded from its events alone: for moments that no view remembers. */
export const pastAssistant: Fold<PastAssistant, AssistantEvent> = {
  initialState: undefined,
  // What is read from the log comes with what was recorded beside it.
  evolve: (state, event) => afterEvent(state, event as RecordedAssistantEvent),
};

/** As the API showed it; `null` before it was created and once it was deleted. */
export function renderPast(assistant: PastAssistant): object | null {
  if (!assistant || assistant.deleted) return null;
  const { fields } = assistant;
  return Object.fromEntries(Object.keys(assistantResource.shape).map((name) => [name, fields[name] ?? null]));
}
