import type { AutomationDefinition } from '@parley/contracts';

interface Envelope {
  readonly flow?: Readonly<Record<string, unknown>> | undefined;
  readonly assistant_id?: number | null | undefined;
}

/**
 * The definition with the request's `assistant_id` in its trigger, where that is about calls and names no assistant
 * itself.
 */
export function flowOf({ flow, assistant_id: assistantId }: Envelope): unknown {
  const trigger = flow?.trigger;
  if (assistantId === null || assistantId === undefined || !isCallTrigger(trigger)) return flow;
  return { ...flow, trigger: { assistant_id: assistantId, ...trigger } };
}

/** A saved definition restricted to the calls of that assistant; undefined where its trigger is not about calls. */
export const forAssistant = (
  definition: AutomationDefinition,
  assistantId: number,
): AutomationDefinition | undefined =>
  definition.trigger.type === 'call.completed'
    ? { ...definition, trigger: { ...definition.trigger, assistant_id: assistantId } }
    : undefined;

const isCallTrigger = (trigger: unknown): trigger is object =>
  typeof trigger === 'object' && trigger !== null && 'type' in trigger && trigger.type === 'call.completed';
