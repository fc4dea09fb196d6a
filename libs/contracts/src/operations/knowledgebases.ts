import { z } from 'zod';
import { asOf, pathId, textUpTo, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const knowledgebases = {
  service: 'assistants',
  tag: 'Knowledgebases',
  errorShape: 'error',
} as const;
const oneKnowledgebase = { ...knowledgebases, notFoundMessage: 'Knowledgebase not found' } as const;

const id = z.object({ id: pathId().describe('Of the knowledgebase.') });
const name = writtenUpTo(255).describe('For people.');
const description = textUpTo(255, 0).describe('What is in it.');

const knowledgebase = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    status: z.literal('active'),
    status_label: z.literal('Active'),
    updated_at: z.iso.datetime({ precision: 6 }).describe('With microseconds and Z.'),
  })
  .meta({ id: 'Knowledgebase' });
const answer = z.object({ message: z.string(), data: knowledgebase });

export const createKnowledgebase = defineOperation({
  ...knowledgebases,
  name: 'create-knowledgebase',
  kind: 'command',
  method: 'POST',
  path: '/api/user/knowledgebases',
  summary: 'Create a knowledgebase',
  description: 'Assistants are given it as `knowledgebase_id`.',
  body: z.object({ name, description: description.nullish() }),
  example: { name: 'Delivery', description: 'How long deliveries take' },
  success: { status: 201, schema: answer },
});

export const updateKnowledgebase = defineOperation({
  ...oneKnowledgebase,
  name: 'update-knowledgebase',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/knowledgebases/{id}',
  summary: 'Change name or description of a knowledgebase',
  description: 'Its documents and their processing are not affected.',
  params: id,
  body: z.object({ name: name.optional(), description: description.nullish() }),
  example: { id: 1, description: 'What callers ask first' },
  success: { status: 200, schema: answer },
});

export const getKnowledgebase = defineOperation({
  ...oneKnowledgebase,
  name: 'get-knowledgebase',
  kind: 'query',
  method: 'GET',
  path: '/api/user/knowledgebases/{id}',
  summary: 'One knowledgebase',
  description: 'With `as_of` (a timestamp or a position) as it was at that moment.',
  params: id,
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: knowledgebase }) },
});

export const listKnowledgebases = defineOperation({
  ...knowledgebases,
  name: 'list-knowledgebases',
  kind: 'query',
  method: 'GET',
  path: '/api/user/knowledgebases',
  summary: 'All knowledgebases, newest first',
  description: 'All of them in one answer.',
  success: { status: 200, schema: z.object({ data: z.array(knowledgebase) }) },
});

export const deleteKnowledgebase = defineOperation({
  ...oneKnowledgebase,
  name: 'delete-knowledgebase',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/knowledgebases/{id}',
  summary: 'Delete a knowledgebase',
  description: 'Assistants that used it go on without one.',
  params: id,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});
