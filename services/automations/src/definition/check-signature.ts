import type { AutomationDefinition } from '@parley/contracts';
import type { Connections } from '../engine/ports.ts';

/**
 * A signature by a connection that is not there, or of another kind, by field: every request would be refused. What steps
 * connect to is for their runs to tell, which go on once it is mended.
 */
export async function signatureFaults(
  { connections = {}, trigger }: AutomationDefinition,
  accountId: number,
  { resolve }: Connections,
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (trigger.type !== 'webhook.inbound' || !trigger.signature) return {};
  const resolved = await resolve(accountId, { connections }, trigger.signature.connection);
  return resolved.ok ? {} : { 'flow.trigger.signature.connection': [resolved.message] };
}
