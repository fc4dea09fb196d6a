import { z } from 'zod';
import { organiserColors } from '../assistant/organiser-colors.ts';
import { pageNumber, pathId, perPage, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const name = writtenUpTo(255).describe('Unique within the account.');
const color = z.enum(organiserColors);
const folderId = z.object({ id: pathId().describe('Of the folder.') });
const labelId = z.object({ id: pathId().describe('Of the label.') });
const page = z.object({ page: pageNumber(), per_page: perPage(15) });

const folder = z
  .object({
    id: z.int(),
    name: z.string(),
    color: color.nullable(),
    assistants_count: z.int(),
  })
  .meta({ id: 'Folder' });
const label = folder.extend({ color }).meta({ id: 'Label' });
const answerWith = <T extends z.ZodType>(data: T) => z.object({ message: z.string(), data });
const confirmation = z.object({ message: z.string() });
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), current_page: z.int(), per_page: z.int(), total: z.int() });

const creation = z.object({ name, color: color.nullish().describe('How lists show it.') });
const change = z.object({
  name: name.optional(),
  color: color.nullable().optional().describe('How lists show it; null takes it away.'),
});

const folders = {
  service: 'assistants',
  tag: 'Folders',
  errorShape: 'message',
} as const;
const oneFolder = { ...folders, notFoundMessage: 'Folder not found' } as const;
const labels = {
  service: 'assistants',
  tag: 'Labels',
  errorShape: 'message',
} as const;
const oneLabel = { ...labels, notFoundMessage: 'Label not found' } as const;

export const createFolder = defineOperation({
  ...folders,
  name: 'create-folder',
  kind: 'command',
  method: 'POST',
  path: '/api/user/folder',
  summary: 'Create a folder',
  description: 'The name is unique within the account.',
  body: creation,
  example: { name: 'Sales', color: 'blue' },
  success: { status: 201, schema: answerWith(folder) },
});

export const updateFolder = defineOperation({
  ...oneFolder,
  name: 'update-folder',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/folder/{id}',
  summary: 'Rename or recolor a folder',
  description: 'Only the fields sent are changed; `color: null` clears the color.',
  params: folderId,
  body: change,
  example: { id: 1, name: 'Customer support' },
  success: { status: 200, schema: answerWith(folder) },
});

export const deleteFolder = defineOperation({
  ...oneFolder,
  name: 'delete-folder',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/folder/{id}',
  summary: 'Delete a folder',
  description: 'Its assistants stay, outside any folder.',
  params: folderId,
  success: { status: 200, schema: confirmation },
});

export const listFolders = defineOperation({
  ...folders,
  name: 'list-folders',
  kind: 'query',
  method: 'GET',
  path: '/api/user/folders',
  summary: 'List folders, newest first',
  description: '`assistants_count` says how many assistants are in it.',
  query: page,
  success: { status: 200, schema: pageOf(folder) },
});

export const createLabel = defineOperation({
  ...labels,
  name: 'create-label',
  kind: 'command',
  method: 'POST',
  path: '/api/user/label',
  summary: 'Create a label',
  description: 'The name is unique within the account. Without a color it is gray.',
  body: creation,
  example: { name: 'Urgent', color: 'red' },
  success: { status: 201, schema: answerWith(label) },
});

export const updateLabel = defineOperation({
  ...oneLabel,
  name: 'update-label',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/label/{id}',
  summary: 'Rename or recolor a label',
  description: 'Only the fields sent are changed; `color: null` makes it gray.',
  params: labelId,
  body: change,
  example: { id: 1, name: 'Key account' },
  success: { status: 200, schema: answerWith(label) },
});

export const deleteLabel = defineOperation({
  ...oneLabel,
  name: 'delete-label',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/label/{id}',
  summary: 'Delete a label',
  description: 'It is taken from the assistants that have it.',
  params: labelId,
  success: { status: 200, schema: confirmation },
});

export const listLabels = defineOperation({
  ...labels,
  name: 'list-labels',
  kind: 'query',
  method: 'GET',
  path: '/api/user/labels',
  summary: 'List labels, newest first',
  description: '`assistants_count` says how many assistants have it.',
  query: page,
  success: { status: 200, schema: pageOf(label) },
});
