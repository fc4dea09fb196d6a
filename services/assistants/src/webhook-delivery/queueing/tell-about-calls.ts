import { CallEnded, CallRecordingAdded, type CallWebhookFields } from '@parley/contracts';
import type { AppendRequest, EventMetadata, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type EventPage, type EventSource, type Reactor } from '@parley/processing';
import { isStandIn } from '@parley/service-kit';
import type { Endpoints } from '../endpoints/endpoints.ts';
import { type CallParties, callFields, webhooksOfCall } from './call-webhooks.ts';
import { findHeldCall, type HeldCall, holdCall, letGo } from './held-calls.ts';
import type { WebhookQueues } from './webhook-queues.ts';

export interface CallWebhookParts {
  /** Telephony's log. */
  readonly source: EventSource;
  readonly endpoints: Endpoints;
  readonly queues: WebhookQueues;
  readonly sql: SqlExecutor;
  readonly findParties: (
    accountId: number,
    call: { readonly lead_id: number | null; readonly campaign_id: number | null },
  ) => Promise<CallParties>;
}

/** How many recordings are read at a time when that of a call is looked for. */
const pageSize = 100;

/**
 * Queues the webhooks of a call that has ended, by its assistant's settings at that time, each once: at once, or, where
 * they include a recording that is still to come, when that comes.
 */
export const tellAboutCalls = (parts: CallWebhookParts): Reactor =>
  defineReactor({
    name: 'call-webhooks',
    source: parts.source,
    handles: [CallEnded.type, CallRecordingAdded.type],
    laneOf: byAccount,
    react: (event, { metadata }) =>
      event.type === CallEnded.type
        ? tellOfEnd(parts, event, metadata)
        : tellOfRecording(parts, event, metadata),
  });

async function tellOfEnd(
  parts: CallWebhookParts,
  event: RecordedEvent,
  metadata: EventMetadata,
): Promise<AppendRequest | undefined> {
  const told = await toTell(parts, event);
  if (!told) return undefined;
  const { call, settings, accountId } = told;
  if (call.recording_follows && settings.includesRecording)
    return holdCall({ account_id: accountId, call_id: call.call_id, position: event.position }, metadata);
  await queueAll(parts, told, metadata);
  return undefined;
}

async function tellOfRecording(
  parts: CallWebhookParts,
  { data }: RecordedEvent,
  metadata: EventMetadata,
): Promise<AppendRequest | undefined> {
  const { call_id, recording_url } = CallRecordingAdded.data.parse(data);
  const held = await findHeldCall(parts.sql, call_id);
  if (!held) return undefined;
  await tellOfHeld(parts, held, metadata, recording_url);
  return letGo(held, metadata);
}

/**
 * Queues the webhooks of a held call. The call is read again from telephony's log, where it may have been erased; its
 * recording, too, unless the caller brings it, since the reactor that brings it may be behind. Rejects while telephony
 * does not answer.
 */
export async function tellOfHeld(
  parts: CallWebhookParts,
  held: HeldCall,
  metadata: EventMetadata,
  broughtUrl?: string,
): Promise<void> {
  const { events } = await readBehind(parts, held.position - 1, held, CallEnded.type, 1);
  const ended = events.find((event) => event.position === held.position);
  const told = ended && (await toTell(parts, ended));
  if (!told) return;
  const recording_url = broughtUrl ?? (await findRecording(parts, held));
  await queueAll(parts, { ...told, call: { ...told.call, recording_url } }, metadata);
}

/** The URL of a held call's recording; null when the log has none up to its head. */
async function findRecording(parts: CallWebhookParts, held: HeldCall): Promise<string | null> {
  let after = held.position - 1;
  for (let end = held.position; after < end; ) {
    const page = await readBehind(parts, after, held, CallRecordingAdded.type, pageSize);
    const recordings = page.events.map(({ data }) => CallRecordingAdded.data.parse(data));
    const found = recordings.find(({ call_id }) => call_id === held.call_id);
    if (found) return found.recording_url;
    after = page.reached;
    end = Math.max(end, page.head);
  }
  return null;
}

/**
 * A page of telephony's log behind `after`, where there must be something: a page that comes no further means that the
 * service does not answer.
 */
async function readBehind(
  { source }: CallWebhookParts,
  after: number,
  { account_id }: HeldCall,
  type: string,
  limit: number,
): Promise<EventPage> {
  const page = await source.read({ after, limit, types: [type], accountIds: [account_id] });
  if (page.reached <= after) throw new ServiceUnavailable('telephony does not answer.');
  // A source may return events of other types, too.
  return { ...page, events: page.events.filter((event) => event.type === type) };
}

type Told = NonNullable<Awaited<ReturnType<typeof toTell>>>;

/** What the webhooks of a call are made from; undefined when it leads to none, or the customer was erased. */
async function toTell({ endpoints }: CallWebhookParts, { accountId, eventId, data }: RecordedEvent) {
  const call = CallEnded.data.parse(data);
  const assistantId = call.assistant_id;
  if (accountId === null || assistantId === null || isStandIn(call.customer_phone)) return undefined;
  const settings = await endpoints.ofAssistant(accountId, assistantId);
  const wanted = settings ? webhooksOfCall(call, settings) : [];
  return settings && wanted.length > 0
    ? { accountId, assistantId, eventId, call, settings, wanted }
    : undefined;
}

async function queueAll(
  { queues, findParties }: CallWebhookParts,
  { accountId, assistantId, eventId, call, settings, wanted }: Told,
  metadata: EventMetadata,
): Promise<void> {
  const parties = await findParties(accountId, call);
  const fields: CallWebhookFields = callFields(call, assistantId, parties, settings);
  const occurredAt = new Date(call.finished_at).toISOString();
  // A webhook that was queued before is known by its event when that comes again.
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
