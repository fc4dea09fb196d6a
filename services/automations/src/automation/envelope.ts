import type { AutomationDefinition } from '@parley/contracts';

interface Envelope {
  readonly flow?: Readonly<Record<string, unknown>> | undefined;
  readonly assistant_id?: number | null | undefined;
}

/** What is beside the definition in the request becomes part of it, where it means something there. */
export function flowOf({ flow, assistant_id: assistantId }: Envelope): unknown {
  const trigger = flow?.trigger;
  if (assistantId === null || assistantId === undefined || !isCallTrigger(trigger)) return flow;
  return { ...flow, trigger: { assistant_id: assistantId, ...trigger } };
}

/** A definition that was saved before, for the calls of that assistant; undefined where an assistant means nothing to it. */
export const forAssistant = (
  definition: AutomationDefinition,
  assistantId: number,
): AutomationDefinition | undefined =>
  definition.trigger.type === 'call.completed'
    ? { ...definition, trigger: { ...definition.trigger, assistant_id: assistantId } }
    : undefined;

const isCallTrigger = (trigger: unknown): trigger is object =>
  typeof trigger === 'object' && trigger !== null && 'type' in trigger && trigger.type === 'call.completed';
