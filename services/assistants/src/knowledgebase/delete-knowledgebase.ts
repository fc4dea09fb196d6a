import { type KnowledgebaseEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Knowledgebase } from './knowledgebase.ts';

/** Deletes a knowledgebase for ever; assistants that used it go on without one. */
export function deleteKnowledgebase(
  state: Knowledgebase,
): Decision<KnowledgebaseEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'KnowledgebaseDeleted', data: {} }],
    reply: { message: 'Knowledgebase deleted successfully' },
  };
}
