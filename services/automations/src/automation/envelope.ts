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

const isCallTrigger = (trigger: unknown): trigger is object =>
  typeof trigger === 'object' && trigger !== null && 'type' in trigger && trigger.type === 'call.completed';
