import { type AssistantEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Assistant, living } from './assistant.ts';
import type { AssistantAnswer } from './create-assistant.ts';
import type { Facts } from './facts.ts';
import { withoutDeleted } from './references/drop-references.ts';
import { updateAssistant } from './update-assistant.ts';

export interface LabelAssistant {
  readonly accountId: number;
  readonly labelId: number;
}

/**
 * Adds a label to an assistant's labels. A label that was deleted a moment ago, which the state may still have, is left
 * out.
 */
export function labelAssistant(
  state: Assistant,
  { accountId, labelId }: LabelAssistant,
  facts: Facts,
): Decision<AssistantEvent, AssistantAnswer> | Rejection {
  const before = living(state);
  if (!before) return reject('not_found');
  const change = withLabel(withoutDeleted(before, facts), labelId);
  return updateAssistant(state, { accountId, change }, facts);
}

/** The label ids with one more, each once. */
export const withLabel = (
  { label_ids }: { readonly label_ids: readonly number[] },
  labelId: number,
): { label_ids: number[] } => ({ label_ids: [...new Set([...label_ids, labelId])] });
