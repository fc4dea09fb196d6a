import type { SqlExecutor } from '@parley/event-store';
import type { ActionModules } from '../actions/action-modules.ts';
import { compileDefinition } from '../definition/compile-definition.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { AutomationStanding, Definitions } from '../engine/ports.ts';
import { AutomationQueries } from '../views/automation-queries.ts';

/** Versions never change: what was compiled once is kept, the oldest are forgotten. */
const maxKept = 1_000;

export function createDefinitions(sql: SqlExecutor, actions: ActionModules): Definitions {
  const queries = new AutomationQueries(sql);
  const kept = new Map<string, CompiledDefinition>();
  return {
    async load(automationId, version) {
      const key = `${automationId}:${version}`;
      const known = kept.get(key);
      if (known) return known;
      const definition = await queries.definition(automationId, version);
      if (!definition) return undefined;
      const { compiled } = compileDefinition(definition, { automationId, version, actions });
      const [oldest] = kept.keys();
      if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
      kept.set(key, compiled);
      return compiled;
    },
    async standing(automationId): Promise<AutomationStanding | undefined> {
      const row = await queries.find(automationId);
      if (!row) return undefined;
      const { accountId, definitionVersion: version, isDeleted, isEnabled } = row;
      return { accountId, version, status: isDeleted ? 'deleted' : isEnabled ? 'active' : 'inactive' };
    },
  };
}
