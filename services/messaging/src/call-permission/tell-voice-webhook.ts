import { queueWebhook, subjectOf } from '@parley/contracts';
import type { Aggregates, RecordedEvent } from '@parley/event-store';
import { type BusClient, internalContext, isMomentary, ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { z } from 'zod';
import { type CallPermission, callPermission } from './call-permission.ts';
import { expiryOf } from './render.ts';
import { isGranted, statusOf } from './standing.ts';

const webhookTypes = {
  CallPermissionRequested: 'call_permission_requested',
  CallPermissionGranted: 'call_permission_granted',
  CallPermissionRejected: 'call_permission_denied',
  CallPermissionRevoked: 'call_permission_denied',
  ContactVoiceCallEnded: 'voice_call',
} as const;
type Told = keyof typeof webhookTypes;
const isTold = (type: string): type is Told => Object.hasOwn(webhookTypes, type);

const about = z.object({ sender_id: z.int(), customer_phone: z.string(), status: z.string().optional() });

export interface VoiceWebhookParts {
  readonly aggregates: Aggregates;
  readonly bus: BusClient;
  readonly conversationOf: (contact: {
    readonly senderId: number;
    readonly phone: string;
  }) => Promise<string | null>;
}

/** Tells the account's voice webhook (decisions, section 5): queued once per event, whatever dies in between. */
export const tellVoiceWebhook = ({ aggregates, bus, conversationOf }: VoiceWebhookParts): Reactor =>
  defineReactor({
    name: 'chatapp-voice-webhooks',
    handles: Object.keys(webhookTypes),
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      if (event.accountId === null || !isTold(event.type)) return undefined;
      const { state } = await aggregates.loadAt(event.streamId, callPermission, {
        version: event.streamVersion,
      });
      const { sender_id: senderId, customer_phone: phone } = about.parse(event.data);
      const reply = await bus.request({
        service: queueWebhook.service,
        subject: subjectOf(queueWebhook),
        payload: JSON.stringify(
          webhookOf(event, event.accountId, event.type, state, await conversationOf({ senderId, phone })),
        ),
        context: internalContext({
          accountId: event.accountId,
          actor: metadata.actor,
          commandId: effectId(),
          correlationId: metadata.correlationId,
          causationId: metadata.causationId,
          timeoutMs: 5_000,
        }),
      });
      if (reply.kind === 'ok') return undefined;
      const message = `The voice webhook was not queued: ${reply.rejection.code}`;
      throw isMomentary(reply.rejection) ? new ServiceUnavailable(message) : new Error(message);
    },
  });

/** As things stood when it happened. */
function webhookOf(
  { data, eventId, recordedAt }: RecordedEvent,
  account_id: number,
  told: Told,
  state: CallPermission,
  conversation_id: string | null,
): z.input<typeof queueWebhook.input> {
  const { sender_id, customer_phone, status } = about.parse(data);
  const now = Date.parse(recordedAt);
  return {
    account_id,
    event: 'chatapp_voice',
    event_id: eventId,
    occurred_at: new Date(now).toISOString(),
    fields: {
      type: webhookTypes[told],
      sender_id,
      customer_phone,
      conversation_id,
      status: status ?? statusOf(state, now),
      expires_at: expiryOf(state, now),
      can_call: isGranted(state, now),
    },
  };
}
