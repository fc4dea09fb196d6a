import {
  type AutomationDefinition,
  type AutomationStep,
  automationActionConnections,
} from '@parley/contracts';

/** Tells of aliases that are used but not declared, and of connections whose kind does not fit their use. */
export function checkConnections(
  { connections = {}, steps, trigger }: AutomationDefinition,
  onFault: (path: string, message: string) => void,
): void {
  for (const [alias, { kind, id }] of Object.entries(connections))
    if (kind === 'chatapp_sender' && typeof id !== 'number')
      onFault(`connections.${alias}.id`, 'The id of a chatapp_sender must be the integer id of a sender.');

  const check = (alias: string, kinds: readonly string[], at: string): void => {
    const connection = Object.hasOwn(connections, alias) ? connections[alias] : undefined;
    if (!connection) onFault(at, `There is no connection called ${alias}.`);
    else if (!kinds.includes(connection.kind))
      onFault(at, `The connection ${alias} is a ${connection.kind}; it must be ${kinds.join(' or ')}.`);
  };

  if (trigger.type === 'webhook.inbound' && trigger.signature)
    check(trigger.signature.connection, ['hmac_sha256'], 'trigger.signature.connection');

  const walk = (list: readonly AutomationStep[], at: string): void => {
    for (const [index, step] of list.entries()) {
      const here = `${at}.${index}`;
      if (step.type === 'branch') {
        for (const [place, { steps: inner }] of step.branches.entries())
          walk(inner, `${here}.branches.${place}.steps`);
        walk(step.else ?? [], `${here}.else`);
      } else if (step.type !== 'delay' && step.type !== 'stop') {
        const { need, kinds } = automationActionConnections[step.type];
        if (step.connection !== undefined && need === 'none')
          onFault(`${here}.connection`, `${step.type} takes no connection.`);
        else if (step.connection !== undefined) check(step.connection, kinds, `${here}.connection`);
        else if (need === 'required')
          onFault(`${here}.connection`, `${step.type} needs a connection: ${kinds.join(' or ')}.`);
      }
    }
  };
  walk(steps, 'steps');
}
