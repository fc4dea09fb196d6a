import type { SenderEvent } from '@parley/contracts';
import type { ChatNumber } from '@parley/providers';
import type { Sender } from './sender.ts';

/**
 * The events for what the chat platform tells of a sender's number now; none when nothing changed. A number that it no
 * longer knows (`null`) is offline, and keeps its other properties.
 */
export function observeNumber(state: NonNullable<Sender>, observed: ChatNumber | null): SenderEvent[] {
  const events: SenderEvent[] = [];
  const status = observed?.isOnline ? 'online' : 'offline';
  if (status !== state.status) events.push({ type: 'SenderStatusChanged', data: { status } });
  if (!observed) return events;
  const { qualityRating, messagingLimit, isCallingEnabled } = observed;
  if (qualityRating !== null && qualityRating !== state.qualityRating)
    events.push({ type: 'SenderQualityChanged', data: { quality_rating: qualityRating } });
  if (messagingLimit !== state.messagingLimit)
    events.push({ type: 'SenderMessagingLimitChanged', data: { messaging_limit: messagingLimit } });
  if (isCallingEnabled !== state.voiceCallingEnabled)
    events.push({ type: 'SenderVoiceCallingChanged', data: { voice_calling_enabled: isCallingEnabled } });
  return events;
}
