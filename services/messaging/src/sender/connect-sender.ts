import { invalidField, type Rejection, type SenderEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { ChatNumber } from '@parley/providers';
import { syncTimer } from '../sync/sync-timers.ts';
import { numberScope, type Sender, sender, senderStream } from './sender.ts';
import { toItem } from './sender-item.ts';

export interface ConnectSender {
  /** Fresh: no other sender ever has it. */
  readonly id: number;
  readonly accountId: number;
  readonly displayName: string;
  readonly assistantId: number | null;
  /** The number as the chat platform describes it now. */
  readonly number: ChatNumber;
}

export interface SenderAnswer {
  readonly data: ReturnType<typeof toItem>;
}

/**
 * Connects a number as a sender. From then on it follows the platform: its state every 5 minutes, its templates every 4
 * hours.
 */
export function connectSender(
  state: Sender,
  { id, accountId, displayName, assistantId, number }: ConnectSender,
): Decision<SenderEvent, SenderAnswer> {
  if (state) throw new Error(`Sender ${id} was given out twice.`);
  const event: SenderEvent = {
    type: 'SenderConnected',
    data: {
      sender_id: id,
      phone_number: number.phoneNumber,
      display_name: displayName,
      assistant_id: assistantId,
      phone_number_id: number.phoneNumberId,
      platform_account_id: number.accountId,
      status: number.isOnline ? 'online' : 'offline',
      quality_rating: number.qualityRating ?? 'GREEN',
      messaging_limit: number.messagingLimit,
      voice_calling_enabled: number.isCallingEnabled,
    },
  };
  const connected = sender.evolve(null, event);
  if (!connected) throw new Error('A sender that was connected is none.');
  return {
    events: [event],
    claims: [{ op: 'take', scope: numberScope, key: number.phoneNumberId, owner: senderStream(id) }],
    onClaimTaken: alreadyConnected,
    timers: [
      syncTimer('numbers', { senderId: id, accountId }),
      syncTimer('templates', { senderId: id, accountId }, 'soon'),
    ],
    reply: { data: toItem(connected) },
  };
}

/** A number is connected to one account only, so that what customers write to it has one place to go. */
const alreadyConnected = (): Rejection =>
  invalidField('phone_number', 'The phone number is connected already.');
