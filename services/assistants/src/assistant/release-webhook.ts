import type { Aggregates, EventMetadata, SqlExecutor } from '@parley/event-store';
import { assistantsBoundTo } from '../views/assistants-bound.ts';
import { living } from './assistant.ts';
import { changeAssistant } from './change-assistant.ts';
import { disableWebhook } from './webhooks.ts';

/**
 * Turns off the webhooks after calls that go to an automation which hears of nothing any more; returns how many did. One
 * that is given another URL meanwhile keeps it.
 */
export async function releaseWebhook(
  { aggregates, sql }: { readonly aggregates: Aggregates; readonly sql: SqlExecutor },
  { accountId, tokenHash }: { readonly accountId: number; readonly tokenHash: string },
  metadata: EventMetadata,
): Promise<number> {
  const bound = await assistantsBoundTo(sql, accountId, tokenHash);
  for (const { id, url } of bound)
    await changeAssistant(aggregates, { id, accountId, metadata }, (state) =>
      living(state)?.webhook_url === url ? disableWebhook(state) : { events: [], reply: null },
    );
  return bound.length;
}
