import { type OperationDefinition, updateFolder, updateLabel } from '@parley/contracts';
import type { ClaimChange } from '@parley/event-store';
import type { OrganiserColor, OrganiserEvent } from './organiser.ts';

/** What tells folders from labels. */
export interface OrganiserKind {
  /** Category of the streams, and how operators name one: `folder/12`. */
  readonly noun: 'folder' | 'label';
  readonly title: string;
  /**
   * The color that is shown where none was given; null for folders, which may be without (specification, section 2).
   */
  readonly defaultColor: OrganiserColor | null;
  /** The operation that renames and recolors one. */
  readonly change: OperationDefinition;
  readonly created: (data: { id: number; name: string; color: string | null }) => OrganiserEvent;
  readonly renamed: (name: string) => OrganiserEvent;
  readonly recolored: (color: string | null) => OrganiserEvent;
  readonly deleted: () => OrganiserEvent;
}

export const folderKind: OrganiserKind = {
  noun: 'folder',
  title: 'Folder',
  defaultColor: null,
  change: updateFolder,
  created: (data) => ({ type: 'FolderCreated', data }),
  renamed: (name) => ({ type: 'FolderRenamed', data: { name } }),
  recolored: (color) => ({ type: 'FolderRecolored', data: { color } }),
  deleted: () => ({ type: 'FolderDeleted', data: {} }),
};

export const labelKind: OrganiserKind = {
  noun: 'label',
  title: 'Label',
  defaultColor: 'gray',
  change: updateLabel,
  created: (data) => ({ type: 'LabelCreated', data }),
  renamed: (name) => ({ type: 'LabelRenamed', data: { name } }),
  recolored: (color) => ({ type: 'LabelRecolored', data: { color } }),
  deleted: () => ({ type: 'LabelDeleted', data: {} }),
};

export const streamOf = ({ noun }: OrganiserKind, id: number): string => `${noun}-${id}`;

/**
 * The claim on an organiser's name. Names are unique within the account and kind, and compared exactly: neither trimmed
 * nor folded in case or Unicode form.
 */
export const claimOn = (
  kind: OrganiserKind,
  owner: { readonly accountId: number; readonly id: number },
  op: ClaimChange['op'],
  name: string,
): ClaimChange => ({
  op,
  scope: `${kind.noun}-name:${owner.accountId}`,
  key: name,
  owner: streamOf(kind, owner.id),
});
