import { AutomationDefinitionSaved, AutomationDeleted, releaseAutomationWebhook } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { asService, lookUp } from '@parley/service-kit';
import { AutomationQueries, type AutomationRow } from '../views/automation-queries.ts';
import { automationIdOf } from './automation.ts';

/**
 * Reactor: the address of an automation that was deleted, or has another trigger by now, leads nowhere. Assistants that
 * are bound to it are released, however long it takes to reach their service.
 */
export function releaseWebhooks(bus: BusClient, sql: SqlExecutor): Reactor {
  const queries = new AutomationQueries(sql);
  return defineReactor({
    name: 'release-webhooks',
    handles: [AutomationDeleted.type, AutomationDefinitionSaved.type],
    laneOf: byAccount,
    async react({ streamId }, { metadata: { causationId, correlationId } }) {
      const row = await queries.find(automationIdOf(streamId));
      if (!row || row.tokenHash === null || hearsWebhook(row)) return undefined;
      const context = { ...asService('automations', row.accountId, correlationId), causationId };
      await lookUp(bus, releaseAutomationWebhook, { token_hash: row.tokenHash }, context);
      return undefined;
    },
  });
}

/** Whether requests to its address are meant for the automation; true while it is turned off, too. */
export const hearsWebhook = (row: AutomationRow | undefined): boolean =>
  row !== undefined && !row.isDeleted && row.binding.trigger === 'webhook.inbound';
