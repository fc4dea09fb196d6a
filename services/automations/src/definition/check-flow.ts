import type { BusClient, MessageContext } from '@parley/message-bus';
import { accountOf } from '@parley/service-kit';
import type { ActionModules } from '../actions/action-modules.ts';
import type { Connections } from '../engine/ports.ts';
import { type CheckedDefinition, checkDefinition, refuse } from './check-definition.ts';
import { signatureFaults } from './check-signature.ts';
import { createTemplateVariables, templateFaults } from './check-templates.ts';

/** What a definition is checked with. */
export interface Checking {
  readonly actions: ActionModules;
  readonly bus: BusClient;
  readonly connections: Connections;
}

/**
 * Checks a definition by itself, and then against what it names of the account: templates, and the signature's
 * connection.
 */
export async function checkFlow(
  { actions, bus, connections }: Checking,
  flow: unknown,
  message: MessageContext,
): Promise<CheckedDefinition> {
  const checked = checkDefinition(flow, actions);
  if (checked.kind === 'rejected') return checked;
  const { definition } = checked;
  const [templates, signature] = await Promise.all([
    templateFaults(definition, createTemplateVariables(bus, message)),
    signatureFaults(definition, accountOf(message), connections),
  ]);
  const faults = [...templates, ...signature];
  return faults.length === 0 ? checked : refuse('invalid_definition', faults);
}
