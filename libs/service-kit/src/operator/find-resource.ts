import type { RecordedEvent } from '@parley/event-store';
import type { Resource } from '../resources/resource.ts';

export interface FoundResource {
  readonly resource: Resource;
  readonly id: string;
  readonly streamId: string;
}

/** `folder/12`; a name alone, like `balance`, is the account's own where it has one of the kind. */
export function findResource(
  resources: readonly Resource[],
  path: string,
  accountId?: number,
): FoundResource | undefined {
  const [name, ...rest] = path.split('/');
  const resource = resources.find((each) => each.name === name);
  const isOwn = rest.length === 0 && accountId !== undefined && resource?.isOnePerAccount === true;
  const id = isOwn ? String(accountId) : rest.join('/');
  const streamId = resource?.streamOf(id);
  return resource && streamId !== undefined ? { resource, id, streamId } : undefined;
}

/** The resource whose history an event is part of. */
export function findResourceOf(
  resources: readonly Resource[],
  { category, streamId }: Pick<RecordedEvent, 'category' | 'streamId'>,
): FoundResource | undefined {
  const id = streamId.slice(category.length + 1);
  const resource = resources.find((each) => each.streamOf(id) === streamId);
  return resource && { resource, id, streamId };
}
