import type { Aggregates, EventMetadata, SqlExecutor } from '@parley/event-store';
import { assistantsBoundTo } from '../../views/assistants/assistants-bound.ts';
import { living } from '../assistant.ts';
import { changeAssistant } from '../change-assistant.ts';
import { disableWebhook } from './webhooks.ts';

interface Release {
  readonly accountId: number;
  readonly tokenHash: string;
  /** The assistant that keeps its webhook; the others lose theirs only while this one has it. */
  readonly butFor?: number | undefined;
}

/**
 * Turns off the post-call webhooks that go to an automation which takes them no more; returns how many assistants had
 * one. An assistant that is given another URL meanwhile keeps it.
 */
export async function releaseWebhook(
  { aggregates, sql }: { readonly aggregates: Aggregates; readonly sql: SqlExecutor },
  { accountId, tokenHash, butFor }: Release,
  metadata: EventMetadata,
): Promise<number> {
  const bound = await assistantsBoundTo(sql, accountId, tokenHash);
  if (butFor !== undefined && !bound.some(({ id }) => id === butFor)) return 0;
  const leaving = bound.filter(({ id }) => id !== butFor);
  for (const { id, url } of leaving)
    await changeAssistant(aggregates, { id, accountId, metadata }, (state) =>
      living(state)?.webhook_url === url ? disableWebhook(state, 'released') : { events: [], reply: null },
    );
  return leaving.length;
}
