import { type AutomationDefinition, unspokenKinds } from '@parley/contracts';
import { z } from 'zod';
import { compileCondition } from '../expression/condition.ts';
import { Effort } from '../expression/effort.ts';
import type { Reference } from '../expression/template.ts';
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
  const { filter } = trigger;
  const passesOver = trigger.type === 'conversation.message_received' ? isUnspoken : () => false;
  if (!filter) return { definition: trigger, matches: (payload) => !passesOver(payload) };
  const at = 'trigger.filter';
  const { holds, references } = compileCondition(filter, { timezone, at, onFault });
  for (const reference of references) {
    const { path } = reference;
    if (path?.root === 'steps' || path?.root === 'run')
      onFault(at, `"${path.text}" does not exist before the run.`);
    else checkPath({ at, reference });
  }
  const isKindAsked = references.some(isKindOfMessage);
  return {
    definition: trigger,
    matches: (payload: JsonValue, now: string) => {
      if (!isKindAsked && passesOver(payload)) return false;
      const held = holds({ trigger: payload, steps: {}, vars, run: {}, now, effort: new Effort() });
      return held.ok && held.value;
    },
  };
}

const unspoken = z.object({
  message: z.union([
    z.object({ type: z.enum(unspokenKinds) }),
    z.object({ type: z.literal('edit'), text: z.null() }),
  ]),
});

/**
 * A reaction to a message and its like, or a correction whose words are not told, starts runs only where a filter looks
 * at what a message is.
 */
const isUnspoken = (payload: JsonValue): boolean => unspoken.safeParse(payload).success;

const isKindOfMessage = ({ path }: Reference): boolean =>
  path?.root === 'trigger' && path.keys.join('.') === 'message.type';
