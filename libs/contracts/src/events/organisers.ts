import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const folder = { service: 'assistants', category: 'folder', version: 1 } as const;
const label = { service: 'assistants', category: 'label', version: 1 } as const;

const created = z.object({ id: z.int(), name: z.string(), color: z.string().nullable() });
const renamed = z.object({ name: z.string() });
const recolored = z.object({ color: z.string().nullable() });
const deleted = z.object({});

export const FolderCreated = defineEvent({
  ...folder,
  type: 'FolderCreated',
  summary: 'A folder was created.',
  data: created,
});
export const FolderRenamed = defineEvent({
  ...folder,
  type: 'FolderRenamed',
  summary: 'A folder got another name.',
  data: renamed,
});
export const FolderRecolored = defineEvent({
  ...folder,
  type: 'FolderRecolored',
  summary: 'A folder got another color, or none.',
  data: recolored,
});
export const FolderDeleted = defineEvent({
  ...folder,
  type: 'FolderDeleted',
  summary: 'A folder was deleted.',
  data: deleted,
});

export const LabelCreated = defineEvent({
  ...label,
  type: 'LabelCreated',
  summary: 'A label was created.',
  data: created,
});
export const LabelRenamed = defineEvent({
  ...label,
  type: 'LabelRenamed',
  summary: 'A label got another name.',
  data: renamed,
});
export const LabelRecolored = defineEvent({
  ...label,
  type: 'LabelRecolored',
  summary: 'A label got another color, or none.',
  data: recolored,
});
export const LabelDeleted = defineEvent({
  ...label,
  type: 'LabelDeleted',
  summary: 'A label was deleted.',
  data: deleted,
});

export type FolderEvent = EventOf<
  typeof FolderCreated | typeof FolderRenamed | typeof FolderRecolored | typeof FolderDeleted
>;
export type LabelEvent = EventOf<
  typeof LabelCreated | typeof LabelRenamed | typeof LabelRecolored | typeof LabelDeleted
>;
