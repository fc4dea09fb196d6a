import type { AssistantEvent, Rejection } from '@parley/contracts';
import type { Aggregates, Decision, EventMetadata, SqlExecutor } from '@parley/event-store';
import { assistantsBoundTo } from '../views/assistants-bound.ts';
import { type Assistant, assistant, assistantCategory, assistantStream, living } from './assistant.ts';
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
  for (const { id, url } of bound) {
    const result = await aggregates.execute({
      streamId: assistantStream(id),
      category: assistantCategory,
      accountId,
      fold: assistant,
      metadata,
      command: null,
      decide: (state: Assistant): Decision<AssistantEvent> | Rejection =>
        living(state)?.webhook_url === url ? disableWebhook(state) : { events: [], reply: null },
    });
    if (result.kind === 'rejected') throw new Error(`${assistantStream(id)}: ${result.rejection.code}`);
  }
  return bound.length;
}
