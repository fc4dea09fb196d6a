import type { AutomationDefinition } from '@parley/contracts';
import { Effort } from '../expression/effort.ts';
import { readPath } from '../expression/path.ts';
import { hasTemplate } from '../expression/template.ts';
import { runRoot } from '../run/run-root.ts';
import type { Mention } from './check-references.ts';
import type { Scope } from './compiled.ts';

type OnFault = (path: string, message: string) => void;
type Vars = NonNullable<AutomationDefinition['vars']>;

/** Tells of variables that hold a template: they are constants, so it would be sent out as it is written. */
export function checkVars(vars: Vars, onFault: OnFault): void {
  for (const [name, value] of Object.entries(vars))
    if (hasTemplate(value)) onFault(`vars.${name}`, 'A variable is a constant: it must not hold a template.');
}

/** What every run has under `run`; only the names count here. */
const run = runRoot({
  runId: '',
  automationId: 0,
  version: 0,
  startedAt: '',
  chainDepth: 0,
  trigger: { type: '' },
});

/** Tells of paths into `vars` and `run` that lead to nothing, whatever happens. A `default` covers them. */
export function createKnownPaths(vars: Vars, onFault: OnFault): (mention: Mention) => void {
  const scope: Scope = { trigger: null, steps: {}, vars, run, now: '', effort: new Effort() };
  return ({ at, reference: { path, hasDefault } }) => {
    if (hasDefault || (path?.root !== 'vars' && path?.root !== 'run')) return;
    if (readPath(path, scope) !== undefined) return;
    const known = path.root === 'run' ? `; there are ${Object.keys(run ?? {}).join(', ')}` : '';
    onFault(at, `"${path.text}" does not exist${known}.`);
  };
}
