import type { AutomationDefinition } from '@parley/contracts';
import type { ActionModules } from '../actions/action-modules.ts';
import type { DefinitionFault } from '../expression/fault.ts';
import { checkConnections } from './check-connections.ts';
import { checkVars, createKnownPaths } from './check-constants.ts';
import { checkDelays } from './check-delays.ts';
import { checkReferences, type Mention } from './check-references.ts';
import { checkSecrets } from './check-secrets.ts';
import { StepCompiler } from './compile-step.ts';
import { compileTrigger } from './compile-trigger.ts';
import type { CompiledDefinition } from './compiled.ts';
import { canonicalHash, prefixHashes } from './prefix-hashes.ts';
import { runSettings } from './settings.ts';

interface CompileOptions {
  readonly automationId: number;
  readonly version: number;
  readonly actions: ActionModules;
}

interface Compilation {
  readonly compiled: CompiledDefinition;
  /** What is wrong; a definition that was saved has none. */
  readonly faults: readonly DefinitionFault[];
}

/** Compiles a definition into what runs follow, and collects what would go wrong. */
export function compileDefinition(
  definition: AutomationDefinition,
  { automationId, version, actions }: CompileOptions,
): Compilation {
  const faults: DefinitionFault[] = [];
  const mentions = new Map<string, readonly Mention[]>();
  const timezone = definition.timezone ?? 'UTC';
  const onFault = (path: string, message: string) => faults.push({ path, message });
  const steps = new StepCompiler({ actions, timezone, onFault, mentions }).compile(definition.steps);
  const vars = definition.vars ?? {};
  const checkPath = createKnownPaths(vars, onFault);
  const trigger = compileTrigger(definition, { timezone, checkPath, onFault });
  checkVars(vars, onFault);
  for (const mention of [...mentions.values()].flat()) checkPath(mention);
  checkReferences(definition.steps, mentions, onFault);
  checkConnections(definition, onFault);
  checkSecrets(definition, onFault);
  checkDelays(definition.steps, onFault);
  const hashes = prefixHashes(definition.steps);
  return {
    faults,
    compiled: {
      automationId,
      version,
      hash: canonicalHash(definition),
      timezone,
      vars,
      settings: runSettings(definition),
      connections: definition.connections ?? {},
      trigger,
      steps,
      prefixHashOf: (path) => hashes.get(path),
    },
  };
}
