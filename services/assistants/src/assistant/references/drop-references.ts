import type { AssistantEvent, AssistantSettings } from '@parley/contracts';
import { type Assistant, living } from '../assistant.ts';
import { eventsBetween } from '../changes.ts';
import type { Facts } from '../facts.ts';

/** The settings without a folder, labels or a knowledgebase that were deleted since. */
export function withoutDeleted<T extends AssistantSettings>(settings: T, { isOwn }: Pick<Facts, 'isOwn'>): T {
  const { folder_id, knowledgebase_id, label_ids } = settings;
  return {
    ...settings,
    folder_id: folder_id !== null && isOwn('folder', folder_id) ? folder_id : null,
    knowledgebase_id:
      knowledgebase_id !== null && isOwn('knowledgebase', knowledgebase_id) ? knowledgebase_id : null,
    label_ids: label_ids.filter((id) => isOwn('label', id)),
  };
}

/** The events by which an assistant loses what it pointed at and was deleted. */
export function dropReferences(state: Assistant, facts: Pick<Facts, 'isOwn'>): AssistantEvent[] {
  const present = living(state);
  return present ? eventsBetween(present, withoutDeleted(present, facts), present.status) : [];
}
