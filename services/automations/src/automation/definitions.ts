import { Contended, type SqlExecutor } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import type { ActionModules } from '../actions/action-modules.ts';
import { compileDefinition } from '../definition/compile-definition.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { AutomationStanding, Definitions } from '../engine/ports.ts';
import { AutomationQueries } from '../views/automation-queries.ts';

/**
 * How much is kept of compiled definitions, in characters of their JSON: an event may concern thousands of small ones,
 * and a few may be large. Versions never change; what was used longest ago is dropped first.
 */
const maxKeptCharacters = 16 * 1024 * 1024;

interface Kept {
  readonly compiled: CompiledDefinition;
  readonly characters: number;
}

/** Definitions from the view; compiled versions are kept in memory. */
export function createDefinitions(sql: SqlExecutor, actions: ActionModules): Definitions {
  const queries = new AutomationQueries(sql);
  const kept = new LRUCache<string, Kept>({
    maxSize: maxKeptCharacters,
    sizeCalculation: ({ characters }) => characters,
  });
  /**
   * What the view does not show: undefined when it is not on record either. Throws `Contended` when it is, written by a
   * copy of another release whose view this one does not read yet.
   */
  async function notFound(automationId: number, version?: number): Promise<undefined> {
    if (await queries.isRecorded(automationId, version))
      throw new Contended(`The view does not show all of automation ${automationId} yet.`);
  }
  return {
    async load(automationId, version) {
      const key = `${automationId}:${version}`;
      const known = kept.get(key);
      if (known) return known.compiled;
      const definition = await queries.definition(automationId, version);
      if (!definition) return notFound(automationId, version);
      const { compiled } = compileDefinition(definition, { automationId, version, actions });
      kept.set(key, { compiled, characters: JSON.stringify(definition).length });
      return compiled;
    },
    async standing(automationId): Promise<AutomationStanding | undefined> {
      const row = await queries.find(automationId);
      if (!row) return notFound(automationId);
      const { accountId, definitionVersion: version, isDeleted, isEnabled } = row;
      return { accountId, version, status: isDeleted ? 'deleted' : isEnabled ? 'active' : 'inactive' };
    },
  };
}
