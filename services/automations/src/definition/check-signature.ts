import type { AutomationDefinition } from '@parley/contracts';
import type { Connections } from '../engine/ports.ts';
import type { DefinitionFault } from '../expression/fault.ts';

/**
 * The fault of a definition whose trigger's signature needs a connection that is missing or of another kind: every
 * request would be refused. Connections of steps are not checked here: runs tell of them, and go on once they are mended.
 */
export async function signatureFaults(
  { connections = {}, trigger }: AutomationDefinition,
  accountId: number,
  { resolve }: Connections,
): Promise<readonly DefinitionFault[]> {
  if (trigger.type !== 'webhook.inbound' || !trigger.signature) return [];
  const resolved = await resolve(accountId, { connections }, trigger.signature.connection);
  return resolved.ok ? [] : [{ path: 'trigger.signature.connection', message: resolved.message }];
}
