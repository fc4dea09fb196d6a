import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const knowledgebase = { service: 'assistants', category: 'knowledgebase', version: 1 } as const;
/** Decided before the append, because the answer shows it. */
const updated_at = z.string();

export const KnowledgebaseCreated = defineEvent({
  ...knowledgebase,
  type: 'KnowledgebaseCreated',
  summary: 'A knowledgebase was created.',
  data: z.object({ id: z.int(), name: z.string(), description: z.string(), updated_at }),
});
export const KnowledgebaseRenamed = defineEvent({
  ...knowledgebase,
  type: 'KnowledgebaseRenamed',
  summary: 'A knowledgebase got another name.',
  data: z.object({ name: z.string(), updated_at }),
});
export const KnowledgebaseDescribed = defineEvent({
  ...knowledgebase,
  type: 'KnowledgebaseDescribed',
  summary: 'A knowledgebase got another description.',
  data: z.object({ description: z.string(), updated_at }),
});
export const KnowledgebaseDeleted = defineEvent({
  ...knowledgebase,
  type: 'KnowledgebaseDeleted',
  summary: 'A knowledgebase was deleted.',
  data: z.object({}),
});

export type KnowledgebaseEvent = EventOf<
  | typeof KnowledgebaseCreated
  | typeof KnowledgebaseRenamed
  | typeof KnowledgebaseDescribed
  | typeof KnowledgebaseDeleted
>;
