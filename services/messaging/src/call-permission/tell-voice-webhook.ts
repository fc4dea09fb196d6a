import { queueWebhook, subjectOf } from '@parley/contracts';
import type { Aggregates, RecordedEvent } from '@parley/event-store';
import { type BusClient, internalContext, isMomentary, ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { z } from 'zod';
import { type Sender, sender as senderFold, senderStream } from '../sender/sender.ts';
import { type CallPermission, callPermission } from './call-permission.ts';
import { circumstancesAt } from './circumstances.ts';
import { expiryOf } from './render.ts';
import { isAllowed, judge } from './rules.ts';
import { type PermissionTerms, statusOf } from './standing.ts';

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
  readonly terms: PermissionTerms;
  readonly conversationOf: (contact: {
    readonly senderId: number;
    readonly phone: string;
  }) => Promise<string | null>;
}

interface Standing {
  readonly state: CallPermission;
  readonly sender: Sender;
  readonly terms: PermissionTerms;
  readonly conversationId: string | null;
}

/**
 * Reactor: queues a message to the account's voice webhook (decisions, section 5), once per event, whatever dies in
 * between.
 */
export const tellVoiceWebhook = ({ aggregates, bus, terms, conversationOf }: VoiceWebhookParts): Reactor =>
  defineReactor({
    name: 'chatapp-voice-webhooks',
    handles: Object.keys(webhookTypes),
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      if (event.accountId === null || !isTold(event.type)) return undefined;
      const { sender_id: senderId, customer_phone: phone } = about.parse(event.data);
      const then = { position: event.position };
      const [{ state }, { state: sender }, conversationId] = await Promise.all([
        aggregates.loadAt(event.streamId, callPermission, then),
        aggregates.loadAt(senderStream(senderId), senderFold, then),
        conversationOf({ senderId, phone }),
      ]);
      const { actor, correlationId, causationId, chainDepth } = metadata;
      const reply = await bus.request({
        service: queueWebhook.service,
        subject: subjectOf(queueWebhook),
        payload: JSON.stringify(
          webhookOf(event, event.accountId, event.type, { state, sender, terms, conversationId }),
        ),
        context: internalContext({
          accountId: event.accountId,
          actor,
          commandId: effectId(),
          correlationId,
          causationId,
          chainDepth,
          timeoutMs: 5_000,
        }),
      });
      if (reply.kind === 'ok') return undefined;
      const message = `The voice webhook was not queued: ${reply.rejection.code}`;
      throw isMomentary(reply.rejection) ? new ServiceUnavailable(message) : new Error(message);
    },
  });

/** The webhook with the permission as it stood at the event. */
function webhookOf(
  { data, eventId, recordedAt }: RecordedEvent,
  account_id: number,
  told: Told,
  { state, sender, terms, conversationId }: Standing,
): z.input<typeof queueWebhook.input> {
  const { sender_id, customer_phone, status } = about.parse(data);
  const at = new Date(recordedAt);
  const now = at.getTime();
  return {
    account_id,
    event: 'chatapp_voice',
    event_id: eventId,
    occurred_at: at.toISOString(),
    fields: {
      type: webhookTypes[told],
      sender_id,
      customer_phone,
      conversation_id: conversationId,
      status: status ?? statusOf(state, now),
      expires_at: expiryOf(state, now),
      // A call needs no template.
      can_call:
        sender !== null &&
        isAllowed(judge(circumstancesAt(at, state, { sender, template: null, terms })), 'call'),
    },
  };
}
