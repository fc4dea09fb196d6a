import { type AutomationDefinition, automationActionConnections } from '@parley/contracts';
import { actionSteps } from './action-steps.ts';

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

  for (const { path, step } of actionSteps(steps)) {
    const at = `${path}.connection`;
    const { need, kinds } = automationActionConnections[step.type];
    if (step.connection !== undefined && need === 'none') onFault(at, `${step.type} takes no connection.`);
    else if (step.connection !== undefined) check(step.connection, kinds, at);
    else if (need === 'required') onFault(at, `${step.type} needs a connection: ${kinds.join(' or ')}.`);
  }
}
