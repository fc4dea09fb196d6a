import { readFileSync } from 'node:fs';
import { events } from '@parley/contracts';

const folder = new URL('../../contracts/golden/', import.meta.url);

/** Golden events of any version as a fold gets them, by file name: `golden('FolderCreated.v1', 'FolderRenamed.v1')`. */
export const golden = <Event>(...names: readonly string[]): Event[] =>
  names.map((name) => newest(name) as Event);

const newest = (name: string): unknown => {
  const written = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
  const earlier = events.find(({ type }) => type === written.type)?.earlier ?? [];
  const data = earlier
    .slice(written.schema_version - 1)
    .reduce((payload, { upcast }) => upcast(payload), written.data);
  return { type: written.type, data };
};
