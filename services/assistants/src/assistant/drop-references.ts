import type { AssistantEvent, AssistantSettings } from '@parley/contracts';
import { type Assistant, living } from './assistant.ts';
import { eventsBetween } from './changes.ts';
import type { Facts } from './facts.ts';

/** The settings without what has been deleted since: an assistant goes on without its folder, labels or knowledgebase. */
export function withoutDeleted<T extends AssistantSettings>(settings: T, { isOwn }: Pick<Facts, 'isOwn'>): T {
  const { folder_id, knowledgebase_id, label_ids } = settings;
  const kept = label_ids.filter((id) => isOwn('label', id));
  return {
    ...settings,
    folder_id: folder_id !== null && isOwn('folder', folder_id) ? folder_id : null,
    knowledgebase_id:
      knowledgebase_id !== null && isOwn('knowledgebase', knowledgebase_id) ? knowledgebase_id : null,
    label_ids: kept.length === label_ids.length ? label_ids : kept,
  };
}

/** What follows for an assistant once something it pointed at is deleted. */
export function dropReferences(state: Assistant, facts: Pick<Facts, 'isOwn'>): AssistantEvent[] {
  const present = living(state);
  return present ? eventsBetween(present, withoutDeleted(present, facts), present.status) : [];
}
