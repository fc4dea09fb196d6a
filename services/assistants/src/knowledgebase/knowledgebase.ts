import type { KnowledgebaseEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** `null` before it is created and after it is deleted. Documents and their processing are not part of it. */
export type Knowledgebase = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly updated_at: string;
} | null;

export const knowledgebaseCategory = 'knowledgebase';
export const knowledgebaseStream = (id: number): string => `${knowledgebaseCategory}-${id}`;

export const knowledgebase: Fold<Knowledgebase, KnowledgebaseEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'KnowledgebaseCreated':
        return { ...event.data };
      case 'KnowledgebaseRenamed':
      case 'KnowledgebaseDescribed':
        return state && { ...state, ...event.data };
      case 'KnowledgebaseDeleted':
        return null;
      default:
        return state;
    }
  },
};

/** A knowledgebase as the API shows it, in an answer and in a list. */
export const toItem = ({ id, name, description, updated_at }: NonNullable<Knowledgebase>) => ({
  id,
  name,
  description,
  status: 'active' as const,
  status_label: 'Active' as const,
  updated_at,
});

/** The time with six decimals, as the specification shows it; the platform clock is read with three. */
export const microseconds = (now: Date): string => now.toISOString().replace('Z', '000Z');
