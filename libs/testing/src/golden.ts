import { readFileSync } from 'node:fs';

const folder = new URL('../../contracts/golden/', import.meta.url);

/** Golden events as they were once written, by file name: `golden('FolderCreated.v1', 'FolderRenamed.v1')`. */
export const golden = <Event>(...names: readonly string[]): Event[] =>
  names.map((name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')));
