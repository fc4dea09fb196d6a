import { AutomationDefinitionSaved, AutomationDeleted, releaseAutomationWebhook } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { asService, lookUp } from '@parley/service-kit';
import { AutomationQueries, type AutomationRow } from '../views/automation-queries.ts';
import { automationIdOf } from './automation.ts';

/**
 * Reactor: the address of an automation that was deleted, or has another trigger by now, leads nowhere, and where the
 * trigger wants a signature it refuses calls of assistants. Those that are bound to it are released, however long it
 * takes to reach their service.
 */
export function releaseWebhooks(bus: BusClient, sql: SqlExecutor): Reactor {
  const queries = new AutomationQueries(sql);
  return defineReactor({
    name: 'release-webhooks',
    handles: [AutomationDeleted.type, AutomationDefinitionSaved.type],
    laneOf: byAccount,
    async react({ streamId }, { metadata: { causationId, correlationId } }) {
      const row = await queries.find(automationIdOf(streamId));
      if (!row || row.tokenHash === null || (await hearsAssistants(queries, row))) return undefined;
      const context = { ...asService('automations', row.accountId, correlationId), causationId };
      await lookUp(bus, releaseAutomationWebhook, { token_hash: row.tokenHash }, context);
      return undefined;
    },
  });
}

/**
 * Whether calls of assistants to its address are meant for the automation: they have no signature. True while it is
 * turned off, too.
 */
export async function hearsAssistants(
  queries: AutomationQueries,
  row: AutomationRow | undefined,
): Promise<boolean> {
  if (!row || row.isDeleted || row.binding.trigger !== 'webhook.inbound') return false;
  const trigger = (await queries.definition(row.id, row.definitionVersion))?.trigger;
  return trigger?.type === 'webhook.inbound' && !trigger.signature;
}
