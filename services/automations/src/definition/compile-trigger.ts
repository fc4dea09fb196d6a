import type { AutomationDefinition } from '@parley/contracts';
import { compileCondition } from '../expression/condition.ts';
import { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';
import { Schedule } from '../triggers/schedule.ts';
import type { Mention } from './check-references.ts';
import type { CompiledTrigger } from './compiled.ts';

interface Options {
  readonly timezone: string;
  readonly checkPath: (mention: Mention) => void;
  readonly onFault: (path: string, message: string) => void;
}

/** Compiles a trigger with its filter. An event to which the filter cannot be applied does not match. */
export function compileTrigger(
  { trigger, vars = {} }: Pick<AutomationDefinition, 'trigger' | 'vars'>,
  { timezone, checkPath, onFault }: Options,
): CompiledTrigger {
  if (trigger.type === 'schedule') {
    const fault = Schedule.faultOf(trigger.cron);
    if (fault) onFault('trigger.cron', fault);
  }
  if (!trigger.filter) return { definition: trigger, matches: () => true };
  const at = 'trigger.filter';
  const { holds, references } = compileCondition(trigger.filter, { timezone, at, onFault });
  for (const reference of references) {
    const { path } = reference;
    if (path?.root === 'steps' || path?.root === 'run')
      onFault(at, `"${path.text}" does not exist before the run.`);
    else checkPath({ at, reference });
  }
  return {
    definition: trigger,
    matches: (payload: JsonValue, now: string) => {
      const held = holds({ trigger: payload, steps: {}, vars, run: {}, now, effort: new Effort() });
      return held.ok && held.value;
    },
  };
}
