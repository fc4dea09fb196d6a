import { CallEnded, type CallWebhookFields } from '@parley/contracts';
import type { EventMetadata, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { type CallParties, callFields, webhooksOfCall } from './call-webhooks.ts';
import type { Endpoints } from './endpoints.ts';
import type { WebhookQueues } from './webhook-queues.ts';

export interface CallWebhookParts {
  /** Telephony's log. */
  readonly source: EventSource;
  readonly endpoints: Endpoints;
  readonly queues: WebhookQueues;
  readonly findParties: (
    accountId: number,
    call: { readonly lead_id: number | null; readonly campaign_id: number | null },
  ) => Promise<CallParties>;
}

/** A call that is over leads to the webhooks its assistant is set to at that moment, each queued once. */
export const tellAboutCalls = (parts: CallWebhookParts): Reactor =>
  defineReactor({
    name: 'call-webhooks',
    source: parts.source,
    handles: [CallEnded.type],
    laneOf: byAccount,
    async react(event, { metadata }) {
      await queueAll(parts, event, metadata);
      return undefined;
    },
  });

async function queueAll(
  { endpoints, queues, findParties }: CallWebhookParts,
  event: RecordedEvent,
  metadata: EventMetadata,
): Promise<void> {
  const { accountId, eventId } = event;
  const call = CallEnded.data.parse(event.data);
  const assistantId = call.assistant_id;
  if (accountId === null || assistantId === null) return;
  const settings = await endpoints.ofAssistant(accountId, assistantId);
  const wanted = settings ? webhooksOfCall(call, settings) : [];
  if (!settings || wanted.length === 0) return;
  const fields: CallWebhookFields = callFields(
    call,
    assistantId,
    await findParties(accountId, call),
    settings,
  );
  const occurredAt = new Date(call.finished_at).toISOString();
  // What was queued before is known when the event comes again.
  for (const endpoint of wanted)
    await queues.queue({
      accountId,
      endpoint: { ...endpoint, assistant_id: assistantId },
      eventId,
      occurredAt,
      fields,
      metadata,
    });
}
