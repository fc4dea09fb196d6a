import type { KnowledgebaseEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Knowledgebase, microseconds, toItem } from './knowledgebase.ts';

export interface CreateKnowledgebase {
  /** A new id, which no other knowledgebase ever has. */
  readonly id: number;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly now: Date;
}

export interface KnowledgebaseAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/** Creates a knowledgebase; throws when its id was given out before. */
export function createKnowledgebase(
  state: Knowledgebase,
  { id, name, description, now }: CreateKnowledgebase,
): Decision<KnowledgebaseEvent, KnowledgebaseAnswer> {
  if (state) throw new Error(`knowledgebase ${id} was given out twice.`);
  const data = { id, name, description: description ?? '', updated_at: microseconds(now) };
  return {
    events: [{ type: 'KnowledgebaseCreated', data }],
    reply: { message: 'Knowledgebase created successfully', data: toItem(data) },
  };
}
