import type { AutomationDefinition } from '@parley/contracts';
import type { Connections } from '../engine/ports.ts';

/**
 * A fault, by field, where the trigger's signature needs a connection that is missing or of another kind: every request
 * would be refused. Connections of steps are not checked here: runs tell of them, and go on once they are mended.
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
