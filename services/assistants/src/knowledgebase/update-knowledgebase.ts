import { type KnowledgebaseEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { KnowledgebaseAnswer } from './create-knowledgebase.ts';
import { type Knowledgebase, knowledgebase, microseconds, toItem } from './knowledgebase.ts';

/** Only what is given is changed; `description: null` clears the description. */
export interface UpdateKnowledgebase {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly now: Date;
}

/** Succeeds without an event when nothing would change. */
export function updateKnowledgebase(
  state: Knowledgebase,
  { name = state?.name, description = state?.description, now }: UpdateKnowledgebase,
): Decision<KnowledgebaseEvent, KnowledgebaseAnswer> | Rejection {
  if (!state) return reject('not_found');
  const events: KnowledgebaseEvent[] = [];
  const updated_at = microseconds(now);
  if (name !== undefined && name !== state.name)
    events.push({ type: 'KnowledgebaseRenamed', data: { name, updated_at } });
  const text = description ?? '';
  if (text !== state.description)
    events.push({ type: 'KnowledgebaseDescribed', data: { description: text, updated_at } });
  return {
    events,
    reply: {
      message: 'Knowledgebase updated successfully',
      data: toItem(events.reduce(knowledgebase.evolve, state) ?? state),
    },
  };
}
