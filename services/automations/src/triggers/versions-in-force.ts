import { LRUCache } from 'lru-cache';
import type { AutomationQueries, AutomationRow } from '../views/automation-queries.ts';

const maxKept = 10_000;

/** Tells which version of an automation was in force at a moment (ISO 8601); undefined before the first. */
export function createVersionsInForce(queries: AutomationQueries) {
  /**
   * By automation and version: a moment at which the version was in force, as it has been ever since while it is the
   * newest.
   */
  const knownSince = new LRUCache<string, string>({ max: maxKept });
  return async (
    { id, definitionVersion: newest }: AutomationRow,
    happenedAt: string,
  ): Promise<number | undefined> => {
    const key = `${id}:${newest}`;
    const since = knownSince.get(key);
    if (since !== undefined && since <= happenedAt) return newest;
    const version = await queries.versionAt(id, happenedAt);
    if (version === newest) knownSince.set(key, happenedAt);
    return version;
  };
}
